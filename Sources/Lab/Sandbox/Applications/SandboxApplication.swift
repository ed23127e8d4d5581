/// An application that is registered at both stand-ins when they start.
///
/// Secrets stand here in clear: they open nothing but the sandbox.
package struct SandboxApplication: Sendable {
    /// How the control listener names it.
    package let name: String
    /// How people know it.
    package let title: String
    package let yahoo: YahooRegistration
    package let x: XRegistration

    /// The application whose server is developed, shown or attacked.
    package static let ours = Self(
        name: "ours", title: "Example App",
        yahoo: YahooRegistration(
            clientID:
                "dj0yJmk9U2FuZGJveE91cnMmZD1ZV2s5VTJGdVpHSnZlRTkxY25NbWNHbzlNQS0tJnM9Y29uc3VtZXJzZWNyZXQmeD1mMA--",
            clientSecret: "sandbox-yahoo-secret-of-ours",
            redirectURIs: [
                "http://127.0.0.1:8080/callback/yahoo.com", "com.example.app:/yahoo", "http://127.0.0.1/callback",
            ],
            permissions: ["openid", "openid2", "profile", "email", "mail-r", "sdct-w"], pkce: .refused),
        x: XRegistration(
            consumerKey: "SandboxOursConsumerKey001", consumerSecret: "sandbox-x-consumer-secret-of-ours",
            // Like X's own, it is base64 for `…:1:ci`.
            clientID: "U2FuZGJveE91cnNDbGllbnQ6MTpjaQ", clientSecret: "sandbox-x-client-secret-of-ours",
            callbacks: [
                "http://127.0.0.1:8080/callback/twitter.com", "com.example.app:/x", "http://127.0.0.1/callback",
            ]))

    /// Another one, with which an attacker collects what is to be replayed at ours.
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

/// What Yahoo knows of an application.
package struct YahooRegistration: Sendable, Equatable {
    /// How an application stands to RFC 7636.
    package enum PKCE: String, Sendable, CaseIterable {
        /// A confidential client: a request with a `code_challenge` is refused.
        case refused
        /// `S256` is taken, and the verifier then asked for; a request without a challenge is taken too.
        case s256 = "S256"
    }

    package let clientID: String
    package let clientSecret: String
    /// Matched exactly; a loopback one without a port stands for every port (RFC 8252 §7.3).
    ///
    /// Yahoo itself wants `https`. The stand-in takes loopback and private-use schemes, since what it serves runs there.
    package internal(set) var redirectURIs: [String]
    /// The scopes that were ticked beforehand.
    ///
    /// A request for another is refused, even for a lesser one.
    package internal(set) var permissions: [String]
    package internal(set) var pkce: PKCE
}

/// What X knows of an application.
package struct XRegistration: Sendable, Equatable {
    /// Of OAuth 1.0a.
    package let consumerKey: String
    package let consumerSecret: String
    /// Of OAuth 2.0.
    package let clientID: String
    /// Nil for a public client ("Native App").
    package let clientSecret: String?
    /// For both protocols.
    ///
    /// Matched exactly; a loopback one without a port stands for every port (RFC 8252 §7.3).
    package internal(set) var callbacks: [String]
}

extension [String] {
    /// Whether one of these registered redirect URIs is `uri`, character by character.
    ///
    /// A registered `http://127.0.0.1/…` or `http://[::1]/…` without a port matches every port (RFC 8252 §7.3).
    func allows(redirectURI uri: String) -> Bool {
        // Non-ASCII text could equal a registered URI without having its bytes.
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
