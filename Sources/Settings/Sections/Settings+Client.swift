extension Settings {
    /// One of `clients`: an application.
    package struct Client: Sendable, Equatable {
        package let id: String
        /// Shown to people.
        package let name: String
        /// Of the browser flow.
        package let redirectURIs: [String]
        /// Of codes that the application got by itself, and of `POST /v1/signin`.
        package let providerRedirectURIs: [String]
        /// Ids of configured providers, all of them where the file names none.
        package let providers: [String]
        /// As browsers write them in `Origin`.
        package let origins: [String]
        /// What it may ask of `POST /token`.
        package let grants: [Settings.Grant]
        package let returnProviderTokens: Bool
        package let appCheck: AppCheck
        /// Firebase app ids; empty where every application of the project is let in, and where ``appCheck`` is off.
        package let appCheckApps: [String]
        /// Whether `POST /v1/anonymous` makes accounts for it.
        package let allowsAnonymous: Bool
        /// Whether custom tokens are redeemed for it; then there is ``Settings/Firebase/apiKey``.
        package let redeems: Bool
        /// The client's own, or Firebase's section's.
        package let tokenLifetime: Duration
        /// The client's own, or Firebase's section's.
        package let tenantID: String?

        /// What becomes of requests without a good `X-Firebase-AppCheck`.
        package enum AppCheck: String, Sendable, CaseIterable {
            /// Nothing is looked at.
            case off
            /// They are let in, and the log says so.
            case log
            case required
        }
    }
}

extension Settings.Client {
    static let keys = [
        "name", "redirect_uris", "provider_redirect_uris", "providers", "origins", "app_check", "app_check_apps",
        "anonymous", "grants", "return_provider_tokens", "redeem", "token_lifetime", "tenant_id",
    ]

    /// Reads every client, with the lifetime and the tenant of `firebase` unless that was refused.
    static func readAll(_ file: Section, providers: Settings.Providers, firebase: Settings.Firebase?) -> [Self] {
        guard let entry = file.required("clients", "name one application at least"), let members = entry.members()
        else {
            return []
        }
        if members.isEmpty { entry.refuse("is empty: name one application at least") }
        return members.compactMap { member in
            guard let id = member.clientID() else { return nil }
            return read(id, Section(member, keys: keys), providers.ids, firebase)
        }
    }

    private static func read(
        _ id: String, _ section: Section, _ providerIDs: [String], _ firebase: Settings.Firebase?
    ) -> Self {
        let appCheck = readAppCheck(section, firebase)
        return Self(
            id: id,
            name: section["name"]?.displayName() ?? id,
            redirectURIs: section["redirect_uris"]?.list { $0.redirectURI() } ?? [],
            providerRedirectURIs: section["provider_redirect_uris"]?.list { $0.redirectURI() } ?? [],
            providers: section["providers"].map { $0.providers(among: providerIDs) } ?? providerIDs,
            origins: section["origins"]?.list { $0.origin() } ?? [],
            grants: section["grants"]?.list { $0.choice(Settings.Grant.self) }
                ?? [.authorizationCode, .tokenExchange],
            returnProviderTokens: section["return_provider_tokens"]?.bool() ?? false,
            appCheck: appCheck, appCheckApps: readAppCheckApps(section, appCheck),
            allowsAnonymous: section["anonymous"]?.bool() ?? false,
            redeems: readRedeems(section, firebase),
            tokenLifetime: section["token_lifetime"]?
                .duration(in: Settings.Firebase.tokenLifetimes, inWholeSeconds: true) ?? firebase?.tokenLifetime
                ?? .zero,
            tenantID: readTenant(section, firebase))
    }

    /// Users of a tenant are another set of users, and Firebase's directory is that of one.
    private static func readTenant(_ section: Section, _ firebase: Settings.Firebase?) -> String? {
        guard let entry = section["tenant_id"], let tenant = entry.googleName() else { return firebase?.tenantID }
        if let firebase, firebase.directory == .firebase, tenant != firebase.tenantID {
            entry.refuse("must be that of firebase.tenant_id, since firebase.directory is firebase")
        }
        return tenant
    }
}

extension Entry {
    /// The name of this entry, as applications send it.
    fileprivate func clientID() -> String? {
        let isID = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-._".utf8.contains(byte)
        }
        guard isID, name.utf8.count <= 64 else {
            return refusing("a client id is at most 64 letters, digits, hyphens, dots and underscores")
        }
        return name
    }

    func displayName() -> String? {
        guard let text = text() else { return nil }
        guard text.count <= 100 else { return refusing("must be at most 100 characters long") }
        return text
    }

    fileprivate func providers(among ids: [String]) -> [String] {
        let named = list { entry -> String? in
            guard let id = entry.text() else { return nil }
            guard ids.contains(id) else {
                return entry.refusing("is no provider of this file: \(Spelling.hint(for: id, among: ids))")
            }
            return id
        }
        if isEmptyList {
            refuse("is empty: name one provider, or leave it out for all")
        }
        return named ?? []
    }
}

extension Settings.Client {
    static func readAppCheck(_ section: Section, _ firebase: Settings.Firebase?) -> AppCheck {
        guard let entry = section["app_check"], let appCheck = entry.choice(AppCheck.self) else { return .off }
        // The audience of App Check's tokens is the project.
        if appCheck != .off, let firebase, case .emulator = firebase.signing, firebase.projectID == nil {
            entry.refuse("needs firebase.project_id, which the emulator does not tell")
        }
        return appCheck
    }

    static func readAppCheckApps(_ section: Section, _ appCheck: AppCheck) -> [String] {
        guard let entry = section["app_check_apps"] else { return [] }
        let apps = entry.list { $0.firebaseAppID() } ?? []
        if appCheck == .off, !apps.isEmpty {
            entry.refuse("is never looked at without app_check: write app_check: required, or leave it out")
        }
        return apps
    }

    static func readRedeems(_ section: Section, _ firebase: Settings.Firebase?) -> Bool {
        guard let entry = section["redeem"], let redeems = entry.bool() else { return false }
        if redeems, let firebase, firebase.apiKey == nil {
            entry.refuse("needs firebase.api_key: write it there, as env:NAME or file:/path")
        }
        return redeems
    }
}

extension Entry {
    /// An application's id as the Firebase console shows it: `1:1234567890:ios:321abc456def7890`.
    fileprivate func firebaseAppID() -> String? {
        guard let text = text() else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let isAppID =
            parts.count == 4
            && parts[0...1].allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
            && ["android", "ios", "web"].contains(parts[2])
            && !parts[3].isEmpty && parts[3].allSatisfy { $0.isASCII && $0.isHexDigit }
        guard isAppID, text.utf8.count <= 128 else {
            return refusing("write the app id that the Firebase console shows, such as 1:1234567890:ios:0a1b2c3d")
        }
        return text
    }
}

extension Settings {
    /// What a client may ask of `POST /token`.
    package enum Grant: String, Sendable, CaseIterable {
        /// The code of a finished browser flow.
        case authorizationCode = "authorization_code"
        /// RFC 8693.
        case tokenExchange = "token_exchange"
        /// RFC 8628.
        case deviceCode = "device_code"
    }
}
