import Standards
import Testing

@testable import Providers

@Suite("Discovery documents (OpenID Connect Discovery §3, §4.3)")
struct ProviderMetadataTests {
    private static let issuer = "https://op.example"

    private static func parse(tokenEndpoint: String) throws -> OpenIDConnectEndpoints {
        let document = """
            {"issuer":"https://op.example","authorization_endpoint":"https://op.example/a",
             "token_endpoint":"\(tokenEndpoint)","userinfo_endpoint":"https://op.example/u",
             "jwks_uri":"https://op.example/k"}
            """
        return try ProviderMetadata.parse(
            Array(document.utf8), issuer: issuer, overrides: EndpointOverrides())
    }

    @Test(
        "An endpoint on the issuer's host, or on a subdomain, is accepted",
        arguments: ["op.example", "login.op.example"])
    func own(host: String) throws {
        #expect(try Self.parse(tokenEndpoint: "https://\(host)/t").token == "https://\(host)/t")
    }

    private static func parse(_ member: String, _ url: String, plainHTTPHosts: [String]) throws
        -> OpenIDConnectEndpoints
    {
        var members = [
            "issuer": issuer, "authorization_endpoint": "https://op.example/a",
            "token_endpoint": "https://op.example/t",
            "userinfo_endpoint": "https://op.example/u", "jwks_uri": "https://op.example/k",
        ]
        members[member] = url
        let document = "{" + members.map { "\"\($0.key)\":\"\($0.value)\"" }.joined(separator: ",") + "}"
        return try ProviderMetadata.parse(
            Array(document.utf8), issuer: issuer, overrides: EndpointOverrides(), plainHTTPHosts: plainHTTPHosts)
    }

    @Test("An endpoint of the back channel may name a permitted host with http, on any port")
    func plainHTTP() throws {
        let hosts = ["keycloak", "[fd00::7]"]
        let url = "http://keycloak:8080/t"
        #expect(try Self.parse("token_endpoint", url, plainHTTPHosts: hosts).token == url)
        #expect(try Self.parse("userinfo_endpoint", url, plainHTTPHosts: hosts).userInfo == url)
        #expect(try Self.parse("jwks_uri", url, plainHTTPHosts: hosts).jwks == url)
        #expect(try Self.parse("revocation_endpoint", url, plainHTTPHosts: hosts).revocation == url)
        #expect(
            try Self.parse("token_endpoint", "http://[fd00::7]:8080/t", plainHTTPHosts: hosts).token
                == "http://[fd00::7]:8080/t")
    }

    @Test(
        "No other host, and not the endpoint of the browser, may be named with http",
        arguments: [
            ("authorization_endpoint", "http://keycloak:8080/a"), ("token_endpoint", "http://other:8080/t"),
            ("token_endpoint", "http://keycloak.evil.example/t"), ("token_endpoint", "http://keycloak@evil.example/t"),
            ("token_endpoint", "https://keycloak/t"), ("jwks_uri", "ftp://keycloak/k"),
        ])
    func onlyPermitted(member: String, url: String) {
        #expect(throws: DocumentError.malformed) { try Self.parse(member, url, plainHTTPHosts: ["keycloak"]) }
    }

    @Test(
        "JW-09: an endpoint on another host is refused, in every spelling of the host",
        arguments: [
            "https://evil.example/t", "http://op.example/t", "https://op.example.evil.example/t",
            "https://evilop.example/t", "https://evil.example#.op.example/t", "https://evil.example?.op.example/t",
            "https://op.example@evil.example/t", "https://evil.example\\\\.op.example/t",
            // A combining mark behind the slash; a number sign before it.
            "https://evil.example/\u{301}.op.example/t", "https://evil.example\u{600}/.op.example/t",
            "https://evil.example%2F.op.example/t", "https://\u{FF0E}op.example/t",
        ])
    func foreign(url: String) {
        #expect(throws: DocumentError.malformed) { try Self.parse(tokenEndpoint: url) }
    }
}
