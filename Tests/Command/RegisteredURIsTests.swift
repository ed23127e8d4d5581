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
        _ provider: String, loopbackHosts: [String]? = nil, callback: String = "https://auth.example/callback/p"
    )
        -> String
    {
        RegisteredURIs(provider: provider, others: Self.providers, loopbackHosts: loopbackHosts)
            .sentence(callback: callback, ofClients: [.shared(Self.uris), .shared(Self.uris)])
    }

    private static let head =
        "Register exactly this redirect URI: https://auth.example/callback/p "
        + "Also register each of these at which an application itself receives the response of the provider: "

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
        let uris = RegisteredURIs(provider: "yahoo.com", others: Self.providers, loopbackHosts: nil)
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
            sentence("yahoo.com", loopbackHosts: []) == Self.head
                + "https://app.example/callback/yahoo.com https://app.example/callback")
        #expect(
            sentence("yahoo.com", loopbackHosts: [], callback: "http://127.0.0.1:8080/callback/yahoo.com")
                .hasPrefix(
                    "This provider registers only redirect URIs with https, and http://127.0.0.1:8080/callback/yahoo.com is none."
                ))
    }

    @Test(
        "A provider that registers only some names of loopback gets no other one",
        arguments: [
            (["127.0.0.1", "[::1]"], "http://localhost:8080/callback/p", false),
            (["127.0.0.1", "[::1]"], "http://127.0.0.1:8080/callback/p", true),
            (["127.0.0.1", "[::1]"], "http://[::1]/callback/p", true),
            (["localhost"], "http://127.0.0.1:8080/callback/p", false),
            (["localhost"], "http://localhost.evil.example/callback/p", false),
            (["localhost"], "com.example.app:/p", true), (["localhost"], "https://auth.example/callback/p", true),
        ])
    func loopback(hosts: [String], callback: String, isRegistrable: Bool) {
        let text = RegisteredURIs(provider: "p", others: ["p"], loopbackHosts: hosts)
            .sentence(callback: callback, ofClients: [])
        #expect(text.hasPrefix("Register exactly this redirect URI: \(callback)") == isRegistrable, "\(text)")
        #expect(text.contains("write another host in server.public_url") == !isRegistrable, "\(text)")
    }
}
