import Standards
import Testing

@Suite("Redirect URIs")
struct RedirectURITests {
    private static let registered = [
        "https://app.example/cb", "com.example.app:/cb", "http://127.0.0.1/cb", "http://[::1]:4000/K",
    ]
    /// Two URIs with the name of the loopback address, one of them with a port.
    private static let named = ["http://localhost/callback", "http://localhost:8080/other?a=b"]

    @Test("A registered URI is accepted", arguments: registered)
    func exact(_ uri: String) {
        #expect(RedirectURI.isRegistered(uri, among: Self.registered))
    }

    @Test(
        "The port of a loopback address may differ (RFC 8252 §7.3)",
        arguments: [
            "http://127.0.0.1:1/cb", "http://127.0.0.1:51004/cb", "http://127.0.0.1:65535/cb", "http://[::1]/K",
            "http://[::1]:51004/K",
        ])
    func loopbackPort(_ uri: String) {
        #expect(RedirectURI.isRegistered(uri, among: Self.registered))
    }

    @Test(
        "The port of a registered localhost may differ, too",
        arguments: [
            "http://localhost:53187/callback", "http://localhost:8080/callback", "http://localhost/other?a=b",
            "http://localhost:53187/other?a=b",
        ])
    func localhostPort(_ uri: String) {
        #expect(RedirectURI.isRegistered(uri, among: Self.named))
    }

    @Test(
        "ST-03: A localhost that is registered stands for no address, and for no other name, path, query or scheme",
        arguments: [
            "http://127.0.0.1:53187/callback", "http://[::1]:53187/callback", "http://localhost.:53187/callback",
            "http://localhost.evil.example:53187/callback", "http://localhost:53187@evil.example/callback",
            "http://localhost@evil.example/callback", "http://LOCALHOST:53187/callback",
            "HTTP://localhost:53187/callback", "https://localhost:53187/callback", "http://localhost:53187/callback/",
            "http://localhost:53187/other", "http://localhost:53187", "http://localhost:/callback",
            "http://localhost:0/callback", "http://localhost:65536/callback", "http://localhost6:53187/callback",
        ])
    func localhostLookAlikes(_ uri: String) {
        #expect(!RedirectURI.isRegistered(uri, among: Self.named))
    }

    @Test(
        "ST-01, ST-02: A URI that a parser might take for a registered one is refused",
        arguments: [
            "https://evil.example/cb", "https://app.example@evil.example/cb", "https://app.example.evil.example/cb",
            "https://app.example:443@evil/", "https:/\\evil.example", "//evil.example", "/\\evil.example",
            "/%09/evil", "/\t\\evil", "/\u{B}/evil", "/\r/evil", "/\n\\evil", "/\t\t\\\t/evil", "/./\\evil",
            "/./../../\\evil", "https://APP.example/cb", "HTTPS://app.example/cb", "https://app.example./cb",
            "javascript:alert(1)", "data:text/html,x", "https://app.example/cb\0", "https://\u{430}pp.example/cb",
            "https://app.example/cb#x", "https://app.example/cb?x=1", "https://app.example/cb/..%2f",
            "https://app.example/cb/", "https://app.example/c", "https://app.example", "https://app.example:443/cb",
            " https://app.example/cb", "https://app.example/%63b", "https://user@app.example/cb", "",
        ])
    func parserTricks(_ uri: String) {
        #expect(!RedirectURI.isRegistered(uri, among: Self.registered))
    }

    @Test(
        "ST-03: A URI that only resembles a loopback address is refused",
        arguments: [
            "http://127.0.0.1.evil.example:1/cb", "http://localhost.evil/cb", "http://localhost/cb",
            "http://localhost:51004/cb", "http://0x7f000001/cb", "http://[::ffff:127.0.0.1]/cb",
            "http://127.1:51004/cb", "http://127.0.0.2:51004/cb", "http://127.0.0.1:51004@evil.example/cb",
            "http://127.0.0.1:@evil.example/cb", "http://127.0.0.1@evil.example/cb", "https://127.0.0.1:51004/cb",
            "HTTP://127.0.0.1:51004/cb",
        ])
    func loopbackLookAlikes(_ uri: String) {
        #expect(!RedirectURI.isRegistered(uri, among: Self.registered))
    }

    @Test(
        "ST-03: A loopback URI may differ only in a valid port",
        arguments: [
            "http://127.0.0.1:51004/cb/", "http://127.0.0.1:51004/CB", "http://127.0.0.1:51004/cb?a=b",
            "http://127.0.0.1:51004/cb#a", "http://127.0.0.1:51004", "http://127.0.0.1:51004/K",
            "http://[::1]:51004/cb", "http://127.0.0.1:0/cb", "http://127.0.0.1:65536/cb", "http://127.0.0.1:/cb",
            "http://127.0.0.1:-1/cb", "http://127.0.0.1:+1/cb", "http://127.0.0.1:000080/cb",
            "http://127.0.0.1:\u{FF11}/cb", "http://[::1]:51004/\u{212A}",
        ])
    func loopbackRest(_ uri: String) {
        #expect(!RedirectURI.isRegistered(uri, among: Self.registered))
    }

    @Test(
        "The port of a loopback address without a path may differ, too",
        arguments: [
            ("http://127.0.0.1", "http://127.0.0.1:8082"), ("http://127.0.0.1:8080", "http://127.0.0.1:8082"),
            ("http://127.0.0.1:8080", "http://127.0.0.1"), ("http://[::1]", "http://[::1]:8082"),
            ("http://localhost", "http://localhost:8082"), ("http://127.0.0.1?a=b", "http://127.0.0.1:8082?a=b"),
            ("http://[::1]:4000?a=b", "http://[::1]:8082?a=b"), ("http://localhost:4000?", "http://localhost?"),
        ])
    func loopbackWithoutPath(_ registered: String, _ uri: String) {
        #expect(RedirectURI.isRegistered(uri, among: [registered]))
        #expect(RedirectURI.isRegistered(registered, among: [uri]))
    }

    @Test(
        "ST-03: A registered loopback address without a path stands for no other host, userinfo, path, query or fragment",
        arguments: ["127.0.0.1", "[::1]", "localhost"],
        [
            ".evil.example", ".evil.example:80", "@evil.example", ":@evil.example", ":80@evil.example", ":80@evil",
            ":80.evil.example", ":80:80", ":99999", ":65536", ":0", ":", ":000080", ":-1", ":+80", ":80 ", ": 80",
            ":80evil", ":\u{FF18}\u{FF10}", ":80\\@evil.example", "\\@evil.example", "\\", ":80\\", "#", ":80#",
            "#@evil.example", ":80#@evil.example", "/", ":80/", ":80//evil.example", "/@evil.example", "?", ":80?",
            "?@evil.example", ":80?@evil.example", ":80?a=b", ":80;evil", "%2F", ":80%2F", ":80\0", ":80\t", "\u{200B}",
            "\u{301}", ":80\u{301}", ".", "./", "0", "1", "]",
        ])
    func loopbackWithoutPathLookAlikes(_ host: String, _ rest: String) {
        for registered in ["http://\(host)", "http://\(host):8080"] {
            #expect(!RedirectURI.isRegistered("http://\(host)\(rest)", among: [registered]))
        }
    }

    @Test(
        "ST-03: A registered loopback address without a path may differ only in a valid port",
        arguments: [
            ("http://127.0.0.1?a=b", "http://127.0.0.1:80"), ("http://127.0.0.1?a=b", "http://127.0.0.1:80?a=b&c=d"),
            ("http://127.0.0.1?a=b", "http://127.0.0.1:80/?a=b"), ("http://127.0.0.1?a=b", "http://127.0.0.1:80?a=B"),
            ("http://127.0.0.1?a=b", "http://127.0.0.1:80#?a=b"), ("http://127.0.0.1?", "http://127.0.0.1:80"),
            ("http://127.0.0.1?a=b", "http://127.0.0.1:80@evil.example?a=b"),
            ("http://127.0.0.1/", "http://127.0.0.1:80"), ("http://127.0.0.1", "http://localhost:80"),
            ("http://127.0.0.1", "http://[::1]:80"), ("http://127.0.0.1", "https://127.0.0.1:80"),
            ("http://127.0.0.1", "HTTP://127.0.0.1:80"), ("http://127.0.0.1", "http://evil@127.0.0.1:80"),
            ("http://127.0.0.1", "http://127.0.0.2:80"), ("http://[::1]", "http://[::ffff:127.0.0.1]:80"),
            ("http://127.0.0.1@evil.example", "http://127.0.0.1:80@evil.example"),
            ("http://127.0.0.1.evil.example", "http://127.0.0.1:80.evil.example"),
            ("http://127.0.0.1#a", "http://127.0.0.1:80#a"), ("http://app.example", "http://app.example:80"),
        ])
    func loopbackWithoutPathRest(_ registered: String, _ uri: String) {
        #expect(!RedirectURI.isRegistered(uri, among: [registered]))
        #expect(!RedirectURI.isRegistered(registered, among: [uri]))
    }

    @Test("ST-04: For other addresses the port is part of the URI", arguments: ["https://app.example:8443/cb"])
    func portElsewhere(_ uri: String) {
        #expect(!RedirectURI.isRegistered(uri, among: ["https://app.example:9443/cb", "http://app.example/cb"]))
        #expect(!RedirectURI.isRegistered("http://app.example:1/cb", among: ["http://app.example/cb"]))
    }

    @Test("Without registered URIs every URI is refused")
    func none() {
        #expect(!RedirectURI.isRegistered("https://app.example/cb", among: []))
    }

    @Test("Canonically equivalent texts are different URIs")
    func canonicalEquivalence() {
        #expect(!RedirectURI.isRegistered("https://app.example/e\u{301}", among: ["https://app.example/\u{E9}"]))
    }

    @Test(
        "Only an https URI cannot be claimed by another app (RFC 8252 §8.6)",
        arguments: [
            ("https://app.example/cb", true), ("https://127.0.0.1/cb", true), ("com.example.app:/cb", false),
            ("http://127.0.0.1/cb", false), ("http://[::1]:4000/cb", false), ("http://localhost/cb", false),
            ("HTTPS://app.example/cb", false), ("https:/app.example/cb", false), ("https", false), ("", false),
            ("https.example:/cb", false), (" https://app.example/cb", false),
        ])
    func claimed(_ uri: String, isClaimed: Bool) {
        #expect(RedirectURI.isClaimedHTTPS(uri) == isClaimed)
    }

    @Test(
        "The origin of an http or https URI is written as browsers do (RFC 6454 §6.2)",
        arguments: [
            ("https://app.example/cb", "https://app.example"), ("https://app.example", "https://app.example"),
            ("https://App.Example:443/cb?x=1", "https://app.example"),
            ("https://app.example:8443/cb", "https://app.example:8443"),
            ("http://127.0.0.1:80/cb", "http://127.0.0.1"), ("http://127.0.0.1:51004/cb", "http://127.0.0.1:51004"),
            ("http://[::1]:51004/cb", "http://[::1]:51004"), ("http://[::1]/cb", "http://[::1]"),
            ("https://app.example:80/cb", "https://app.example:80"), ("https://app.example?x", "https://app.example"),
        ])
    func origins(_ uri: String, _ origin: String) {
        #expect(RedirectURI.origin(of: uri) == origin)
    }

    @Test(
        "A URI of another scheme, or with a host or port that none can have, has no origin",
        arguments: [
            "com.example.app:/cb", "com.example.app://app.example/cb", "javascript:alert(1)", "//app.example/cb", "",
            "https://", "https:///cb", "https://app.example;script-src *", "https://app.example, https://evil.example",
            "https://*/cb", "https://user@app.example/cb", "https://app.example:/cb", "https://app.example:0/cb",
            "https://app.example:65536/cb", "https://app.example:+80/cb", "https://app.example:1:2/cb",
            "https://\u{430}pp.example/cb", "https://app.example\\@evil.example/", "http://[::1/cb", "http://[::1]x/cb",
            "https://'self'/cb",
        ])
    func noOrigin(_ uri: String) {
        #expect(RedirectURI.origin(of: uri) == nil)
    }
}
