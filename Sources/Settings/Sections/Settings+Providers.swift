package import Providers
package import Standards
internal import Yams

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
        // Only OpenID Connect has an issuer where discovery starts, and keys.
        let isOpenID = member.peek("issuer") != nil || member.peek("endpoints")?.peek("jwks") != nil
        switch (written ?? (isOpenID ? .openIDConnect : nil), template) {
        case (.oauth2?, .oauth2(let template)?), (nil, .oauth2(let template)?):
            oauth2.append(Settings.OAuth2Provider.read(member, id: id, template: template))
        case (.oauth2?, _): oauth2.append(Settings.OAuth2Provider.read(member, id: id, template: nil))
        case (nil, nil) where member.peek("members") != nil:
            // Each further problem would follow from this one.
            member.refuse(
                "has members, which exist only with protocol: oauth2: write that line, and endpoints with authorization, token and "
                    + "userinfo")
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

extension Settings.Providers {
    /// A provider whose data the program contains, as an operator reads them.
    package struct Template: Sendable {
        package let id: ProviderID
        package let name: String
        package let protocols: String
        /// The page of the provider on which an application is registered.
        package let console: String
        /// The lines of a registration, which are the least that the section of this provider has.
        package let example: [String]
        /// The lines of another protocol, which may stand beside the example or in its place.
        package var alternative: [String] = []
        /// The values of the template, as `config check` prints them.
        package let values: [String]

        /// A value of a registration.
        package struct Field: Sendable {
            /// The names below the section of the provider, such as `client_secret`, `apple` and `key`.
            package let path: [String]
            /// The value in the example, in which `…` stands for what only the operator knows.
            package let example: String
        }

        /// The values in the example, in its order.
        package var fields: [Field] {
            (try? Yams.compose(yaml: example.joined(separator: "\n"))).map { Self.fields(of: $0, at: []) } ?? []
        }

        private static func fields(of node: Node, at path: [String]) -> [Field] {
            guard let mapping = node.mapping else { return [Field(path: path, example: node.string ?? "")] }
            return mapping.flatMap { fields(of: $0.value, at: path + [$0.key.string ?? ""]) }
        }
    }

    package static func template(_ id: String) -> Template? { templates.first { $0.id.text == id } }

    /// The message about an id for which there is no template.
    package static func absence(of id: String) -> String {
        "there is no template \(id): the templates are \(templates.map(\.id.text).joined(separator: ", "))"
    }

    package static let templates: [Template] =
        (ProviderTemplate.named.map { id, template in
            let variable = id.text.split(separator: ".")[0].uppercased() + "_CLIENT_SECRET"
            let lines =
                switch template {
                case .openIDConnect(let registration):
                    Settings.OpenIDConnectProvider(id, registration).lines()
                case .oauth2(let registration): Settings.OAuth2Provider(id, registration).lines()
                }
            return Template(
                id: id, name: template.name ?? id.text, protocols: template.protocols,
                console: template.console ?? "", example: template.example(secret: "env:\(variable)"),
                values: lines.filter { line in ![": ", ": off", ": []", ": {}"].contains(where: line.hasSuffix) })
        } + [
            Template(
                id: Settings.Twitter.id, name: TwitterTemplate.name, protocols: "OAuth 2.0, OAuth 1.0a",
                console: TwitterTemplate.console,
                example: ["oauth2:", "  client_id: …", "  client_secret: env:TWITTER_CLIENT_SECRET"],
                alternative: ["oauth1:", "  consumer_key: …", "  consumer_secret: env:X_CONSUMER_SECRET"],
                values: Settings.Twitter().lines())
        ]).sorted { $0.id.text < $1.id.text }
}

extension ProviderTemplate {
    fileprivate var protocols: String {
        switch self {
        case .openIDConnect: "OpenID Connect"
        case .oauth2: "OAuth 2.0"
        }
    }

    fileprivate func example(secret: String) -> [String] {
        let further =
            switch self {
            case .openIDConnect(let registration): registration.example
            case .oauth2(let registration): registration.example
            }
        let isSecret = further.contains { $0.hasPrefix("client_secret:") }
        return ["client_id: …"] + (isSecret ? [] : ["client_secret: \(secret)"]) + further
    }
}
