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
