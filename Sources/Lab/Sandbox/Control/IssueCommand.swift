import Jansson

/// A command to create tokens and codes without a browser, as if the user had allowed the application.
///
/// ```json
/// {"provider": "yahoo.com", "application": "hostile", "user": "alice", "nonce": "n", "scope": "openid email",
///  "redirect_uri": "com.example.hostile:/yahoo", "code_challenge": "…", "max_age": 0}
/// {"provider": "twitter.com", "protocol": "oauth1", "application": "ours", "user": "alice"}
/// {"provider": "twitter.com", "protocol": "oauth2", "scope": "users.read tweet.read",
///  "redirect_uri": "com.example.app:/x", "code_challenge": "…", "code_challenge_method": "S256"}
/// {"provider": "github.com", "application": "ours", "user": "alice", "nonce": "n", "scope": "user:email",
///  "redirect_uri": "com.example.app:/github.com", "code_challenge": "…"}
/// ```
/// By default `application` is `ours`, `user` is `alice`, and `redirect_uri` is the application's first one; only the
/// code is bound to it. With `max_age` the ID token contains `auth_time` with the current time. X issues a code only
/// for a `code_challenge`.
enum IssueCommand {
    struct Yahoo {
        let application: String
        let user: SandboxUser
        let scope: String
        let nonce: String?
        let redirectURI: String?
        let codeChallenge: String?
        let wantsAuthTime: Bool
    }

    struct XOAuth1 {
        let application: String
        let user: SandboxUser
    }

    struct XOAuth2 {
        let application: String
        let user: SandboxUser
        let scope: String
        let redirectURI: String?
        let codeChallenge: String?
        let codeChallengeMethod: XCodeChallenge.Method
    }

    /// A command for any other provider, with the documented scopes by default.
    struct Provider {
        let provider: DocumentedProvider
        let application: String
        let user: SandboxUser
        let scope: String?
        let nonce: String?
        let redirectURI: String?
        let codeChallenge: String?
    }

    case yahoo(Yahoo)
    case xOAuth1(XOAuth1)
    case xOAuth2(XOAuth2)
    case provider(Provider)

    private enum XProtocol: String, CaseIterable { case oauth1, oauth2 }

    init(_ input: JSON) throws(ControlError) {
        var input = try ControlInput(input)
        let provider = try input.requiredString("provider")
        let application = try input.application()
        let user = try input.user()
        switch provider {
        case "yahoo.com":
            self = .yahoo(
                Yahoo(
                    application: application, user: user,
                    scope: try input.string("scope") ?? "openid profile email", nonce: try input.string("nonce"),
                    redirectURI: try input.string("redirect_uri"), codeChallenge: try input.string("code_challenge"),
                    wantsAuthTime: try input.integer("max_age", in: 0...1_000_000_000) != nil))
        case "twitter.com":
            switch try input.word("protocol", XProtocol.self) {
            case .oauth1:
                self = .xOAuth1(XOAuth1(application: application, user: user))
            case .oauth2:
                self = .xOAuth2(
                    XOAuth2(
                        application: application, user: user,
                        scope: try input.string("scope") ?? "users.read tweet.read users.email",
                        redirectURI: try input.string("redirect_uri"),
                        codeChallenge: try input.string("code_challenge"),
                        codeChallengeMethod: try input.word("code_challenge_method") ?? .s256))
            case nil:
                throw .invalid(member: "protocol", expected: "oauth1, oauth2")
            }
        default:
            self = .provider(
                Provider(
                    provider: try DocumentedProvider(named: provider), application: application, user: user,
                    scope: try input.string("scope"), nonce: try input.string("nonce"),
                    redirectURI: try input.string("redirect_uri"), codeChallenge: try input.string("code_challenge")))
        }
        try input.finish()
    }
}

extension DocumentedProvider {
    /// - Throws: ``ControlError/invalid(member:expected:)`` with the ids of all stand-ins, for another id.
    init(named id: String) throws(ControlError) {
        guard let provider = DocumentedProvider(id: id) else {
            let all = ["yahoo.com", "twitter.com"] + DocumentedProvider.all.map(\.id)
            throw .invalid(member: "provider", expected: all.joined(separator: ", "))
        }
        self = provider
    }
}
