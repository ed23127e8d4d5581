import Jansson

/// A change of an application's registration.
///
/// Absent members stay as they are.
///
/// ```json
/// {"provider": "yahoo.com", "application": "ours", "redirect_uris": ["http://127.0.0.1:9000/callback/yahoo.com"],
///  "permissions": ["openid", "email"], "pkce": "S256"}
/// ```
/// `permissions` and `pkce` (`S256` or `refused`) exist only for Yahoo.
enum ApplicationChange {
    struct Yahoo {
        let application: String
        let redirectURIs: [String]?
        let permissions: [String]?
        let pkce: YahooRegistration.PKCE?
    }

    struct X {
        let application: String
        let redirectURIs: [String]?
    }

    /// A change at any other provider.
    struct Provider {
        let provider: DocumentedProvider
        let application: String
        let redirectURIs: [String]
    }

    case yahoo(Yahoo)
    case x(X)
    case provider(Provider)

    init(_ input: JSON) throws(ControlError) {
        var input = try ControlInput(input)
        let provider = try input.requiredString("provider")
        let application = try input.application()
        let redirectURIs = try input.optionalStrings("redirect_uris")
        switch provider {
        case "yahoo.com":
            self = .yahoo(
                Yahoo(
                    application: application, redirectURIs: redirectURIs,
                    permissions: try input.optionalStrings("permissions"), pkce: try input.word("pkce")))
        case "twitter.com":
            self = .x(X(application: application, redirectURIs: redirectURIs))
        default:
            self = .provider(
                Provider(
                    provider: try DocumentedProvider(named: provider), application: application,
                    redirectURIs: redirectURIs ?? []))
        }
        try input.finish()
    }
}

extension ControlInput {
    mutating func application() throws(ControlError) -> String {
        let name = try string("application") ?? SandboxApplication.ours.name
        guard SandboxApplication.all.contains(where: { $0.name == name }) else {
            throw .invalid(
                member: "application", expected: SandboxApplication.all.map(\.name).joined(separator: ", "))
        }
        return name
    }

    mutating func user() throws(ControlError) -> SandboxUser {
        guard let user = SandboxUser(key: try string("user") ?? SandboxUser.alice.key) else {
            throw .invalid(member: "user", expected: SandboxUser.all.map(\.key).joined(separator: ", "))
        }
        return user
    }
}
