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
