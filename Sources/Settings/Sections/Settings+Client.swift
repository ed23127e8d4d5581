extension Settings {
    /// An entry of `clients`: an application.
    package struct Client: Sendable, Equatable {
        package let id: String
        /// The name that pages show.
        package let name: String
        /// The redirect URIs of the browser flow.
        package let redirectURIs: [String]
        /// The redirect URIs of codes that the application obtained itself, and of `POST /v1/signin`.
        package let providerRedirectURIs: [String]
        /// Whether both lists may contain schemes without a dot.
        package let allowsUnownedSchemes: Bool
        /// Ids of configured providers, in the order of the pages; all of them if the client names none.
        package let providers: [String]
        /// Origins as browsers write them in the header `Origin`.
        package let origins: [String]
        /// The grant types that it may use at `POST /token`.
        package let grants: [Settings.Grant]
        package let returnProviderTokens: Bool
        package let returnProviderProfile: Bool
        package let appCheck: AppCheck
        /// The accepted Firebase app ids.
        ///
        /// Empty if every application of the project is accepted, or ``appCheck`` is off.
        package let appCheckApps: [String]
        /// Whether `POST /v1/anonymous` creates accounts for it.
        package let allowsAnonymous: Bool
        /// Whether custom tokens are redeemed for it.
        ///
        /// If so, ``Settings/Firebase/apiKey`` is not `nil`.
        package let redeems: Bool
        /// The client's own value, or that of the section `firebase`.
        package let tokenLifetime: Duration
        /// The client's own value, or that of the section `firebase`.
        package let tenantID: String?
        /// Domains of verified e-mail addresses in lower case, at least one; `nil` if every person may sign in.
        package let allowedEmailDomains: [String]?
        package let pages: ClientPages

        /// How requests without a valid `X-Firebase-AppCheck` are treated.
        package enum AppCheck: String, Sendable, CaseIterable {
            /// The header is ignored.
            case off
            /// They are accepted and logged.
            case log
            case required
        }
    }
}

extension Settings.Client {
    static let keys = [
        "name", "redirect_uris", "provider_redirect_uris", "allow_unowned_schemes", "providers", "origins", "app_check",
        "app_check_apps",
        "anonymous", "grants", "return_provider_tokens", "return_provider_profile", "redeem", "token_lifetime",
        "tenant_id",
        "allowed_email_domains", "pages",
    ]

    /// Reads every client.
    ///
    /// - Parameters:
    ///   - file: The whole configuration.
    ///   - providers: The providers that clients may name.
    ///   - firebase: The section `firebase` as written, whose keys some keys of clients need.
    ///   - defaults: The lifetime and the tenant of that section; `nil` if it was refused.
    /// - Returns: The clients; none of them is usable if a problem was reported.
    static func readAll(
        _ file: Section, providers: Settings.Providers, firebase: Section, defaults: Settings.Firebase?
    ) -> [Self] {
        guard let entry = file.required("clients", "name at least one application"), let members = entry.members()
        else {
            return []
        }
        if members.isEmpty { entry.refuse("is empty: name at least one application") }
        return members.map { member in
            read(member.clientID(), Section(member, keys: keys), providers, firebase, defaults)
        }
    }

    /// Warns of clients whose `allowed_email_domains` another client of the same users lacks.
    ///
    /// A token of one client is accepted by rules and backends of the other, because it does not name its client.
    static func warnOfDomains(_ clients: [Self], in file: Section) {
        let sections = file.section("clients", keys: clients.map(\.id))
        for client in clients {
            guard let domains = client.allowedEmailDomains.map(Set.init) else { continue }
            let wider = clients.first {
                $0.tenantID == client.tenantID && !($0.allowedEmailDomains.map(domains.isSuperset) ?? false)
            }
            guard let wider else { continue }
            sections.section(client.id, keys: keys).warn(
                "allowed_email_domains",
                "does not restrict \(wider.id), whose tokens look the same: write claims: {client: \"{client_id}\"} and "
                    + "check it in rules and backends, or give \(client.id) a tenant_id of its own")
        }
    }

    private static func read(
        _ id: String, _ section: Section, _ providers: Settings.Providers, _ firebase: Section,
        _ defaults: Settings.Firebase?
    ) -> Self {
        let appCheck = readAppCheck(section, firebase)
        let providerIDs =
            section["providers"].map { $0.providers(among: providers.ids) }
            ?? (section.isRefused("providers") ? [] : providers.ids)
        let allowsAnonymous = section["anonymous"]?.bool() ?? false
        let allowsUnowned = section["allow_unowned_schemes"]?.bool() ?? section.isRefused("allow_unowned_schemes")
        return Self(
            id: id,
            name: section["name"]?.displayName() ?? id,
            redirectURIs: section["redirect_uris"]?.list { $0.redirectURI(allowsUnowned: allowsUnowned) } ?? [],
            providerRedirectURIs: section["provider_redirect_uris"]?
                .list { $0.redirectURI(allowsUnowned: allowsUnowned) } ?? [],
            allowsUnownedSchemes: allowsUnowned,
            providers: providerIDs,
            origins: section["origins"]?.list { $0.origin() } ?? [],
            grants: section["grants"]?.list { $0.choice(Settings.Grant.self) }
                ?? [.authorizationCode, .tokenExchange],
            returnProviderTokens: section["return_provider_tokens"]?.bool() ?? false,
            returnProviderProfile: section["return_provider_profile"]?.bool() ?? false,
            appCheck: appCheck, appCheckApps: readAppCheckApps(section, appCheck),
            allowsAnonymous: allowsAnonymous,
            redeems: readRedeems(section, firebase),
            tokenLifetime: section["token_lifetime"]?
                .duration(in: Settings.Firebase.tokenLifetimes, inWholeSeconds: true) ?? defaults?.tokenLifetime
                ?? .zero,
            tenantID: section["tenant_id"]?.googleName() ?? defaults?.tenantID,
            allowedEmailDomains: section["allowed_email_domains"]?
                .emailDomains(of: providers.withoutFetchedProfile(among: providerIDs), isAnonymous: allowsAnonymous),
            pages: Settings.ClientPages.read(in: section))
    }
}

extension Entry {
    /// The name of this entry, which is a client id unless a problem is reported.
    fileprivate func clientID() -> String {
        let isID = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-._".utf8.contains(byte)
        }
        if !isID || name.utf8.count > 64 {
            refuse("is not a client id: write at most 64 letters, digits, hyphens, dots and underscores")
        }
        return name
    }

    func displayName() -> String? {
        guard let text = text() else { return nil }
        guard text.count <= 100 else { return refusing("must be at most 100 characters long") }
        return text
    }

    /// Reads the domains of a client.
    ///
    /// - Parameters:
    ///   - unfetched: Providers of the client whose profiles are not fetched at every sign-in, so that a known user
    ///     would come without an address.
    ///   - isAnonymous: Whether the client creates accounts without an address.
    /// - Returns: The domains, at least one.
    fileprivate func emailDomains(of unfetched: [String], isAnonymous: Bool) -> [String]? {
        guard !isEmptyList else {
            return refusing("is empty: name at least one domain, or leave the key out to admit every user")
        }
        if isAnonymous { refuse("refuses every anonymous account: leave out this key, or anonymous: true") }
        if let provider = unfetched.first {
            refuse(
                "needs the address at every sign-in: write profile: always for \(provider), or leave it out of providers"
            )
        }
        return list { $0.emailDomain() }
    }

    private func emailDomain() -> String? {
        guard let text = text() else { return nil }
        guard text.contains("."), !text.contains(where: \.isUppercase), let url = try? WebURL.parse("https://" + text),
            url.host == text
        else { return refusing("is not a domain: write it in lower case and without @, such as example.com") }
        return text
    }

    fileprivate func providers(among ids: [String]) -> [String] {
        let named = list { entry -> String? in
            guard let id = entry.text() else { return nil }
            // Without any provider, the section `providers` itself was refused.
            guard ids.contains(id) || ids.isEmpty else {
                return entry.refusing("is not a provider of this file: \(Spelling.hint(for: id, among: ids))")
            }
            return id
        }
        if isEmptyList {
            refuse("is empty: name at least one provider, or leave the key out to allow all")
        }
        return named ?? []
    }
}

extension Settings.Client {
    static func readAppCheck(_ section: Section, _ firebase: Section) -> AppCheck {
        guard let entry = section["app_check"], let appCheck = entry.choice(AppCheck.self) else { return .off }
        // The project is the audience of App Check tokens.
        if appCheck != .off, firebase["emulator_host"] != nil, firebase["project_id"] == nil,
            !firebase.isRefused("project_id")
        {
            entry.refuse("needs firebase.project_id: write it there, because the emulator does not supply it")
        }
        return appCheck
    }

    static func readAppCheckApps(_ section: Section, _ appCheck: AppCheck) -> [String] {
        guard let entry = section["app_check_apps"] else { return [] }
        let apps = entry.list { $0.firebaseAppID() } ?? []
        if appCheck == .off, !apps.isEmpty, !section.isRefused("app_check") {
            entry.refuse("has no effect without app_check: write app_check: required, or leave this key out")
        }
        return apps
    }

    static func readRedeems(_ section: Section, _ firebase: Section) -> Bool {
        guard let entry = section["redeem"], let redeems = entry.bool() else { return false }
        if redeems, firebase["api_key"] == nil, !firebase.isRefused("api_key") {
            entry.refuse("needs firebase.api_key: write it there, as env:NAME or file:/path")
        }
        return redeems
    }
}

extension Entry {
    /// Reads an app id as the Firebase console shows it: `1:1234567890:ios:321abc456def7890`.
    fileprivate func firebaseAppID() -> String? {
        guard let text = text() else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let isAppID =
            parts.count == 4
            && parts[0...1].allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
            && ["android", "ios", "web"].contains(parts[2])
            && !parts[3].isEmpty && parts[3].allSatisfy { $0.isASCII && $0.isHexDigit }
        guard isAppID, text.utf8.count <= 128 else {
            return refusing(
                "is not an app id: write the one that the Firebase console shows, such as 1:1234567890:ios:0a1b2c3d")
        }
        return text
    }
}

extension Settings {
    /// A grant type that a client may use at `POST /token`.
    package enum Grant: String, Sendable, CaseIterable {
        /// The code of a finished browser flow (RFC 6749).
        case authorizationCode = "authorization_code"
        /// The token exchange grant (RFC 8693).
        case tokenExchange = "token_exchange"
        /// The device grant (RFC 8628).
        case deviceCode = "device_code"
    }
}
