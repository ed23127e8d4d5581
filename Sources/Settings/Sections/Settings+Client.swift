internal import Providers
package import Standards

extension Settings {
    /// An entry of `clients`: an application.
    package struct Client: SettingsSection {
        package var id = ClientID("")
        /// The name that pages show.
        package var name = ""
        /// The redirect URIs of the browser flow.
        package var redirectURIs: [String] = []
        /// The redirect URIs of codes that the application obtained itself, and of `POST /v1/signin`.
        package var providerRedirectURIs: ProviderRedirectURIs = []
        /// Whether both lists may contain schemes without a dot.
        package var allowsUnownedSchemes = false
        /// Ids of configured providers, in the order of the pages; all of them if the client names none.
        package var providers: [ProviderID] = []
        /// Origins as browsers write them in the header `Origin`.
        package var origins: [String] = []
        /// The grant types that it may use at `POST /token`.
        package var grants = [GrantType.authorizationCode, .tokenExchange]
        package var returnProviderTokens = false
        package var returnProviderProfile = false
        package var appCheck = AppCheck.off
        /// The accepted Firebase app ids.
        ///
        /// Empty if every application of the project is accepted, or ``appCheck`` is off.
        package var appCheckApps: [String] = []
        /// Whether `POST /v1/anonymous` creates accounts for it.
        package var allowsAnonymous = false
        /// Whether custom tokens are redeemed for it.
        ///
        /// If so, ``Settings/Firebase/apiKey`` is not `nil`.
        package var returnsFirebaseSession = false
        /// The client's own value, or that of the section `firebase`.
        package var tokenLifetime = Duration.zero
        /// The client's own value, or that of the section `firebase`.
        package var tenantID: String?
        /// Domains of verified e-mail addresses in lower case, at least one; `nil` if every person may sign in.
        package var allowedEmailDomains: [String]?
        package var pages = ClientPages()

        /// How requests without a valid `X-Firebase-AppCheck` are treated.
        package enum AppCheck: String, Sendable, CaseIterable {
            /// The header is ignored.
            case off
            /// They are accepted and logged.
            case log
            case required
        }

        static let keys: [Key<Self>] = [
            .key("name", \.name, .value { $0.displayName() }),
            .key("redirect_uris", \.redirectURIs, .list { $0.text() }).readByCheck,
            .shared("provider_redirect_uris") { $0.providerRedirectURIs.line },
            .key("allow_unowned_schemes", \.allowsUnownedSchemes, .flag),
            .key("providers", \.providers, .list { $0.text().map { ProviderID($0) } }).readByCheck,
            .key("origins", \.origins, .list { $0.pageOrigin() }),
            .key("grants", \.grants, .grants),
            .key("return_provider_tokens", \.returnProviderTokens, .flag),
            .key("return_provider_profile", \.returnProviderProfile, .flag),
            .key("app_check", \.appCheck, .choice),
            .key("app_check_apps", \.appCheckApps, .list { $0.firebaseAppID() }),
            .key("anonymous", \.allowsAnonymous, .flag),
            .key("redeem", \.returnsFirebaseSession, .flag),
            .key("token_lifetime", \.tokenLifetime, .tokenLifetime),
            .optional("tenant_id", \.tenantID, .value { $0.googleName() }),
            .optional("allowed_email_domains", \.allowedEmailDomains, .emailDomains),
            .section("pages", \.pages),
        ]
    }
}

extension Settings.Client {
    mutating func check(_ section: Section) {
        let allowsUnowned = allowsUnowned(section)
        redirectURIs = section["redirect_uris"]?.list { $0.redirectURI(allowsUnowned: allowsUnowned) } ?? []
        if appCheck == .off, !appCheckApps.isEmpty, !section.isRefused("app_check") {
            section.refuse(
                "app_check_apps", "has no effect without app_check: write app_check: required, or leave this key out")
        }
        if allowsAnonymous, section["allowed_email_domains"]?.isEmptyList == false {
            section.refuse(
                "allowed_email_domains",
                "refuses every anonymous account: leave out this key, or anonymous: true")
        }
    }

    /// Whether a refused scheme would follow only from a refused `allow_unowned_schemes`, or is allowed.
    private func allowsUnowned(_ section: Section) -> Bool {
        allowsUnownedSchemes || section.isRefused("allow_unowned_schemes")
    }

    /// Reads `provider_redirect_uris`: one list, or a list for each provider, whose names ``providers`` has.
    private mutating func readProviderRedirectURIs(_ section: Section) {
        let allowsUnowned = allowsUnowned(section)
        guard let entry = section["provider_redirect_uris"] else { return }
        guard entry.isSection else {
            let uris = entry.list { $0.redirectURI(allowsUnowned: allowsUnowned) } ?? []
            providerRedirectURIs = .shared(uris)
            if providers.count > 1, !uris.isEmpty {
                entry.warn(
                    "is one list for \(providers.count) providers, any of which can have a code of another one posted as its "
                        + "own if the application uses one URI for both (RFC 9700 section 4.4): write the URIs of each "
                        + "provider below its id, as in {\(providers[0]): […], \(providers[1]): […]}")
            }
            return
        }
        var known: [(uri: String, provider: ProviderID)] = []
        for member in entry.members() ?? [] {
            let id = ProviderID(member.name)
            // Without any provider, the key `providers` or that section was refused.
            guard providers.contains(id) || providers.isEmpty else {
                member.refuse(
                    "is not a provider of this client: \(Spelling.hint(for: id.text, among: providers.map(\.text)))")
                continue
            }
            let uris = member.list { element -> String? in
                guard let uri = element.redirectURI(allowsUnowned: allowsUnowned) else { return nil }
                // Two ports of loopback are one URI, because the application may use any port.
                let other = known.first {
                    RedirectURI.isRegistered(uri, among: [$0.uri]) && $0.provider != id
                }
                if let other {
                    return element.refusing(
                        "is also a redirect URI of \(other.provider), whose codes the application could not tell from those of "
                            + "\(id) (RFC 9700 section 4.4): write a URI of its own for each provider")
                }
                return uri
            }
            known += (uris ?? []).map { ($0, id) }
        }
        providerRedirectURIs = .separate(
            Dictionary(grouping: known, by: \.provider).mapValues { $0.map(\.uri) })
    }

    /// Reads every client.
    ///
    /// - Parameters:
    ///   - file: The whole configuration.
    ///   - settings: The other sections.
    /// - Returns: The clients; none of them is usable if a problem was reported.
    static func readAll(_ file: Section, in settings: Settings) -> [Self] {
        guard let entry = file.required("clients", "name at least one application"), let members = entry.members()
        else {
            return []
        }
        if members.isEmpty { entry.refuse("is empty: name at least one application") }
        let sections = members.map { Section($0, keys: names) }
        let clients = zip(members, sections).map { member, section in
            var client = read(section)
            client.id = member.clientID()
            client.complete(section, settings, firebase: file.section("firebase", Settings.Firebase.self))
            return client
        }
        if !settings.claims.values.contains(where: { $0.segments.contains(.placeholder(.clientID)) }) {
            warnOfDomains(clients, sections)
        }
        return clients
    }

    /// Adds the defaults that other sections have, and reports keys that need those of other sections.
    private mutating func complete(_ section: Section, _ settings: Settings, firebase: Section) {
        if section["name"] == nil { name = id.text }
        if section["token_lifetime"] == nil { tokenLifetime = settings.firebase.tokenLifetime }
        if section["tenant_id"] == nil { tenantID = settings.firebase.tenantID }
        let known = settings.providers.ids
        providers =
            section["providers"].map { $0.providers(among: known) } ?? (section.isRefused("providers") ? [] : known)
        readProviderRedirectURIs(section)
        if redirectURIs.contains(where: { $0.hasPrefix(settings.server.publicURL + "/callback/") }) {
            section.refuse(
                "redirect_uris",
                "has the address at which this server receives the responses of providers: write one of the application"
            )
        }
        // The project is the audience of App Check tokens.
        if appCheck != .off, firebase["emulator_host"] != nil, firebase["project_id"] == nil,
            !firebase.isRefused("project_id")
        {
            section.refuse(
                "app_check", "needs firebase.project_id: write it there, because the emulator does not supply it")
        }
        if returnsFirebaseSession, firebase["api_key"] == nil, !firebase.isRefused("api_key") {
            section.refuse("redeem", "needs firebase.api_key: write it there, as env:NAME or file:/path")
        }
        // A known user of a provider whose profile is not fetched at every sign-in would come without an address.
        if section["allowed_email_domains"]?.isEmptyList == false,
            let provider = settings.providers.withoutFetchedProfile(among: providers).first
        {
            section.refuse(
                "allowed_email_domains",
                "needs the address at every sign-in: write profile: always for \(provider), or leave it out of providers"
            )
        }
    }

    /// Warns of clients whose `allowed_email_domains` another client of the same users lacks.
    ///
    /// A token of one client is accepted by rules and backends of the other, because it does not name its client.
    private static func warnOfDomains(_ clients: [Self], _ sections: [Section]) {
        for (client, section) in zip(clients, sections) {
            guard let domains = client.allowedEmailDomains.map(Set.init) else { continue }
            let wider = clients.first {
                $0.tenantID == client.tenantID && !($0.allowedEmailDomains.map(domains.isSuperset) ?? false)
            }
            guard let wider else { continue }
            section.warn(
                "allowed_email_domains",
                "does not restrict \(wider.id), whose tokens look the same: write client: \"{client_id}\" below claims, and check "
                    + "it in rules and backends, or give \(client.id) a tenant_id of its own. A new section claims replaces its "
                    + "default: keep idp: \"{provider}\" and idp_uid: \"{subject}\" in it if they are used")
        }
    }
}

extension ProviderRedirectURIs {
    /// The value as YAML writes it on one line.
    fileprivate var line: String {
        switch self {
        case .shared(let uris): uris.inList
        case .separate(let uris):
            "{\(uris.map { "\($0.key): \($0.value.inList)" }.sorted().joined(separator: ", "))}"
        }
    }
}

extension Entry {
    /// The name of this entry, which is a client id unless a problem is reported.
    fileprivate func clientID() -> ClientID {
        if !name.consists(of: .lettersAndDigits, or: "-._") || name.utf8.count > 64 {
            refuse("is not a client id: write at most 64 letters, digits, hyphens, dots and underscores")
        }
        return ClientID(name)
    }

    func displayName() -> String? {
        guard let text = text() else { return nil }
        guard text.count <= 100 else { return refusing("must be at most 100 characters long") }
        return text
    }

    fileprivate func emailDomain() -> String? {
        guard let text = text() else { return nil }
        guard text.contains("."), !text.contains(where: \.isUppercase), let url = try? WebURL.parse("https://" + text),
            url.host == text
        else {
            return refusing(
                "is not a domain: write only its name, without @, * and a scheme, in lower case and in ASCII (xn--), such as "
                    + "example.com. A subdomain is an entry of its own")
        }
        return text
    }

    fileprivate func providers(among ids: [ProviderID]) -> [ProviderID] {
        let named = list { entry -> ProviderID? in
            guard let id = entry.text().map({ ProviderID($0) }) else { return nil }
            // Without any provider, the section `providers` itself was refused.
            guard ids.contains(id) || ids.isEmpty else {
                return entry.refusing(
                    "is not a provider of this file: \(Spelling.hint(for: id.text, among: ids.map(\.text)))")
            }
            return id
        }
        if isEmptyList {
            refuse("is empty: name at least one provider, or leave the key out to allow all")
        }
        return named ?? []
    }
}

extension Rule<[String]> {
    fileprivate static var emailDomains: Self {
        let domains = list { $0.emailDomain() }
        let empty = "is empty: name at least one domain, or leave the key out to admit every user"
        return Self({ $0.isEmptyList ? $0.refusing(empty) : domains.read($0) }, write: domains.write)
    }
}

extension Entry {
    /// Reads an app id as the Firebase console shows it: `1:1234567890:ios:321abc456def7890`.
    fileprivate func firebaseAppID() -> String? {
        guard let text = text() else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let isAppID =
            parts.count == 4
            && parts[0...1].allSatisfy { !$0.isEmpty && $0.consists(of: .digits) }
            && ["android", "ios", "web"].contains(parts[2])
            && !parts[3].isEmpty && parts[3].allSatisfy { $0.isASCII && $0.isHexDigit }
        guard isAppID, text.utf8.count <= 128 else {
            return refusing(
                "is not an app id: write the one that the Firebase console shows, such as 1:1234567890:ios:0a1b2c3d")
        }
        return text
    }
}
