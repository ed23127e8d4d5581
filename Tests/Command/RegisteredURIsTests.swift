import Fixtures
import Standards
import Testing

@testable import token_exchange

@Suite("Redirect URIs to register at a provider")
struct RegisteredURIsTests {
    private static let providers = ["yahoo.com", "twitter.com", "line"]
    private static let uris = [
        "com.example.app:/yahoo", "com.example.app:/x", "https://app.example/callback/yahoo.com",
        "https://app.example/callback/twitter.com", "https://app.example/line", "https://app.example/callback",
        "http://127.0.0.1/callback",
    ]

    private func sentence(
        _ provider: String, onlyHTTPS: Bool = false, callback: String = "https://auth.example/callback/p"
    )
        -> String
    {
        RegisteredURIs(provider: provider, others: Self.providers, onlyHTTPS: onlyHTTPS)
            .sentence(callback: callback, ofClients: [.shared(Self.uris), .shared(Self.uris)])
    }

    private static let head =
        "Register exactly this redirect URI: https://auth.example/callback/p "
        + "Also those of these at which an application receives its responses: "

    @Test("A URI that names another provider is left out, and each other one is listed once")
    func ofOthers() {
        #expect(
            sentence("yahoo.com") == Self.head
                + "com.example.app:/yahoo https://app.example/callback/yahoo.com https://app.example/callback "
                + "http://127.0.0.1/callback")
        #expect(
            sentence("twitter.com") == Self.head
                + "com.example.app:/x https://app.example/callback/twitter.com https://app.example/callback "
                + "http://127.0.0.1/callback")
    }

    @Test("A client that has a list for each provider leaves nothing to the names")
    func separate() {
        let uris = RegisteredURIs(provider: "yahoo.com", others: Self.providers, onlyHTTPS: false)
        #expect(
            uris.sentence(
                callback: "https://auth.example/callback/p",
                ofClients: [
                    .separate([
                        "yahoo.com": ["com.example.app:/x", "com.example.app:/line"],
                        "twitter.com": ["com.example.app:/a"],
                    ])
                ]) == Self.head + "com.example.app:/x com.example.app:/line")
    }

    @Test("A provider that registers only https gets no private scheme and no http")
    func onlyHTTPS() {
        #expect(
            sentence("yahoo.com", onlyHTTPS: true) == Self.head
                + "https://app.example/callback/yahoo.com https://app.example/callback")
        #expect(
            sentence("yahoo.com", onlyHTTPS: true, callback: "http://127.0.0.1:8080/callback/yahoo.com")
                .hasPrefix(
                    "This provider registers only redirect URIs with https, and http://127.0.0.1:8080/callback/yahoo.com is none."
                ))
    }
}
