package import Providers
package import Standards

extension Settings {
    /// The section `providers`: the providers at which users sign in.
    package struct Providers: Sendable, Equatable {
        /// The OpenID Providers, built-in or generic, in the order of the file.
        package var openIDConnect: [OpenIDConnectProvider] = []
        /// The providers without OpenID Connect, built-in or generic, in the order of the file.
        package var oauth2: [OAuth2Provider] = []
        /// `twitter.com`, which is X.
        package var twitter: Twitter?
        /// All of them, in the order of the file.
        package var ids: [ProviderID] = []

        /// The value of `protocol`.
        enum ProviderProtocol: String, Sendable, CaseIterable {
            case openIDConnect = "openid"
            case oauth2
        }
    }
}

extension Settings.Providers {
    /// Common wrong names for ids that Firebase defined.
    private static let misnamed = [
        "yahoo": "yahoo.com", "login.yahoo.com": "yahoo.com", "twitter": "twitter.com", "x": "twitter.com",
        "x.com": "twitter.com",
    ]
    /// Firebase's names for sign-ins without a provider.
    private static let reserved: Set<String> = ["anonymous", "custom", "firebase", "password", "phone"]

    /// The names of all keys, with `*` for the id of an OpenID Provider.
    static let paths =
        Settings.Twitter.keys.flatMap { $0.paths.map { "\(Settings.Twitter.id).\($0)" } }
        + Set(
            Settings.OpenIDConnectProvider.keys.flatMap { $0.paths.map { "*.\($0)" } }
                + Settings.OAuth2Provider.keys.flatMap { $0.paths.map { "*.\($0)" } }
        ).sorted()

    static func read(_ file: Section) -> Self {
        var providers = Self()
        guard let entry = file.required("providers", "name at least one provider"), let members = entry.members() else {
            return providers
        }
        if members.isEmpty { entry.refuse("is empty: name at least one provider") }
        for member in members {
            // A provider whose id is refused still counts as configured. Otherwise each client that names it would be
            // refused too.
            let id = providerID(member)
            if !providers.ids.contains(id) { providers.ids.append(id) }
            if id == Settings.Twitter.id {
                providers.twitter = Settings.Twitter.read(Section(member, keys: Settings.Twitter.names))
            } else {
                providers.read(member, id: id)
            }
        }
        return providers
    }

    /// Reads a provider by its protocol, which is that of its template if the file names none.
    private mutating func read(_ member: Entry, id: ProviderID) {
        let template = ProviderTemplate.named[id]
        let written = member.peek("protocol")?.choice(ProviderProtocol.self)
        // Only OpenID Connect has an issuer where discovery starts.
        switch (written ?? (member.peek("issuer") == nil ? nil : .openIDConnect), template) {
        case (.oauth2?, .oauth2(let template)?), (nil, .oauth2(let template)?):
            oauth2.append(Settings.OAuth2Provider.read(member, id: id, template: template))
        case (.oauth2?, _): oauth2.append(Settings.OAuth2Provider.read(member, id: id, template: nil))
        case (_, .openIDConnect(let template)?):
            openIDConnect.append(Settings.OpenIDConnectProvider.read(member, id: id, template: template))
        case (_, _): openIDConnect.append(Settings.OpenIDConnectProvider.read(member, id: id, template: nil))
        }
    }

    func lines(below path: String) -> [String] {
        openIDConnect.flatMap { $0.lines(below: "\(path).\($0.id)") }
            + oauth2.flatMap { $0.lines(below: "\(path).\($0.id)") }
            + (twitter?.lines(below: "\(path).\(Settings.Twitter.id)") ?? [])
    }

    /// Whether people sign in at the provider of a template, and not at another server in its place.
    package func uses(_ template: ProviderTemplate?, for id: ProviderID) -> Bool {
        let configured =
            openIDConnect.first { $0.id == id }?.registration.entrance
            ?? oauth2.first { $0.id == id }?.registration.oauth2.authorizationEndpoint
        return configured != nil && configured == template?.entrance
    }

    /// The providers of these whose profiles are not fetched at every sign-in.
    func withoutFetchedProfile(among ids: [ProviderID]) -> [ProviderID] {
        let known =
            openIDConnect.map { ($0.id, $0.registration.profileRule) }
            + oauth2.filter { $0.registration.oauth2.emails != nil }.map { ($0.id, $0.registration.profileRule) }
            + (twitter.map { [(Settings.Twitter.id, $0.profile)] } ?? [])
        return known.filter { $0.1 == .firstSignIn && ids.contains($0.0) }.map(\.0)
    }

    /// The id that the name of an entry means; reports a problem unless the name is that id.
    ///
    /// Ids are used in paths (`/callback/{provider}`) and uids.
    private static func providerID(_ entry: Entry) -> ProviderID {
        if let meant = misnamed[entry.name] {
            entry.refuse("is not a known provider: write \(meant)")
            return ProviderID(meant)
        }
        let isID = entry.name.consists(of: .lowerCaseAndDigits, or: "-._")
        let beginsWell = entry.name.first.map { !"-._".contains($0) } ?? false
        if !isID || !beginsWell || entry.name.utf8.count > 64 || reserved.contains(entry.name) {
            entry.refuse(
                "is not a provider id: write at most 64 lower-case letters, digits, hyphens, dots and underscores, "
                    + "and none of " + reserved.sorted().joined(separator: ", "))
        }
        return ProviderID(entry.name)
    }
}
