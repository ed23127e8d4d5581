/// An application that is registered at Yahoo's and X's stand-ins when they start.
///
/// Its secrets are not confidential: they work only in the sandbox.
package struct SandboxApplication: Sendable {
    /// The name of the application at the control listener.
    package let name: String
    /// The name that users see.
    package let title: String
    package let yahoo: YahooRegistration
    package let x: XRegistration

    /// The application that belongs to the server under development or attack.
    package static let ours = Self(
        name: "ours", title: "My App",
        yahoo: YahooRegistration(
            clientID:
                "dj0yJmk9U2FuZGJveE91cnMmZD1ZV2s5VTJGdVpHSnZlRTkxY25NbWNHbzlNQS0tJnM9Y29uc3VtZXJzZWNyZXQmeD1mMA--",
            clientSecret: "sandbox-yahoo-secret-of-ours",
            redirectURIs: [
                "http://127.0.0.1:8080/callback/yahoo.com", "com.example.app:/yahoo", "com.example.app:/op",
                "http://127.0.0.1/callback",
            ],
            permissions: ["openid", "openid2", "profile", "email", "mail-r", "sdct-w"], pkce: .refused),
        x: XRegistration(
            consumerKey: "SandboxOursConsumerKey001", consumerSecret: "sandbox-x-consumer-secret-of-ours",
            // Base64 for `…:1:ci`, like the client ids of X.
            clientID: "U2FuZGJveE91cnNDbGllbnQ6MTpjaQ", clientSecret: "sandbox-x-client-secret-of-ours",
            callbacks: [
                "http://127.0.0.1:8080/callback/twitter.com", "com.example.app:/x", "http://127.0.0.1/callback",
            ]))

    /// An attacker's application.
    ///
    /// It collects credentials to send to the server of ``ours``.
    package static let hostile = Self(
        name: "hostile", title: "Hostile App",
        yahoo: YahooRegistration(
            clientID:
                "dj0yJmk9U2FuZGJveEhvc3RpbGUmZD1ZV2s5VTJGdVpHSnZlSGh2YzNRbWNHbzlNQS0tJnM9Y29uc3VtZXJzZWNyZXQmeD1mMQ--",
            clientSecret: "sandbox-yahoo-secret-of-hostile",
            redirectURIs: ["http://127.0.0.1:6666/callback", "com.example.hostile:/yahoo", "http://127.0.0.1/hostile"],
            permissions: ["openid", "openid2", "profile", "email"], pkce: .s256),
        x: XRegistration(
            consumerKey: "SandboxHostileConsumerKey", consumerSecret: "sandbox-x-consumer-secret-of-hostile",
            clientID: "U2FuZGJveEhvc3RpbGVDbGk6MTpjaQ", clientSecret: nil,
            callbacks: ["http://127.0.0.1:6666/callback", "com.example.hostile:/x", "http://127.0.0.1/hostile"]))

    package static let all = [ours, hostile]
}

/// The registration of an application at Yahoo.
package struct YahooRegistration: Sendable, Equatable {
    /// The treatment of PKCE (RFC 7636) for an application.
    package enum PKCE: String, Sendable, CaseIterable {
        /// Requests with a `code_challenge` are refused, as for a confidential client.
        case refused
        /// A challenge with `S256` is accepted, and then the verifier is required. A request without a challenge is
        /// accepted too.
        case s256 = "S256"
    }

    package let clientID: String
    package let clientSecret: String
    /// They are compared exactly, but a loopback URI without a port matches every port (RFC 8252 §7.3).
    ///
    /// Yahoo requires `https`. The stand-in accepts loopback and private-use schemes, since its clients run on this
    /// machine.
    package internal(set) var redirectURIs: [String]
    /// The scopes that were selected at the registration.
    ///
    /// A request for any other scope is refused, even for a weaker one.
    package internal(set) var permissions: [String]
    package internal(set) var pkce: PKCE
}

/// The registration of an application at X.
package struct XRegistration: Sendable, Equatable {
    /// The credentials for OAuth 1.0a.
    package let consumerKey: String
    package let consumerSecret: String
    /// The credentials for OAuth 2.0.
    package let clientID: String
    /// `nil` for a public client ("Native App").
    package let clientSecret: String?
    /// The redirect URIs for both protocols.
    ///
    /// They are compared exactly, but a loopback URI without a port matches every port (RFC 8252 §7.3).
    package internal(set) var callbacks: [String]
}

extension [String] {
    /// Whether one of these registered redirect URIs equals `uri`, character by character.
    ///
    /// A registered `http://127.0.0.1/…` or `http://[::1]/…` without a port matches every port (RFC 8252 §7.3).
    func allows(redirectURI uri: String) -> Bool {
        // Swift may treat a non-ASCII text as equal to a registered URI although its bytes differ.
        uri.utf8.allSatisfy { $0 < 0x80 }
            && contains { registered in
                if registered == uri { return true }
                for origin in ["http://127.0.0.1", "http://[::1]"] where registered.hasPrefix(origin + "/") {
                    guard uri.hasPrefix(origin + ":") else { continue }
                    let rest = uri.dropFirst(origin.count + 1)
                    let port = rest.prefix { $0.isASCII && $0.isNumber }
                    return UInt16(port) != nil && rest.dropFirst(port.count) == registered.dropFirst(origin.count)
                }
                return false
            }
    }
}
