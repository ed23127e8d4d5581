import Fixtures
import JOSE
import OpenSSL
import Testing
import Transport

@testable import token_exchange

@Suite("doctor: the public address and its certificates")
struct DoctorAddressTests {
    private static let authorities = Fixtures.path("chain-root")
    private static let host = "auth.example.com"

    @Test(
        "The public address must lead to this server, with TLS",
        arguments: [
            (.success(OutboundResponse(status: 200, body: Array(#"{"issuer":"https://a.example"}"#.utf8))), .ok),
            (.success(OutboundResponse(status: 200, body: Array(#"{"issuer":"https://b.example"}"#.utf8))), .error),
            (.success(OutboundResponse(status: 404)), .error), (.failure(.untrusted(host: "a.example")), .error),
            (.failure(.unreachable(host: "a.example")), .skipped),
        ] as [(Result<OutboundResponse, TransportError>, Finding.Severity)])
    func publicAddress(answer: Result<OutboundResponse, TransportError>, severity: Finding.Severity) async {
        let check = PublicAddressCheck(
            "https://a.example", transport: HTTPTransport { _ throws(TransportError) in try answer.get() },
            time: TimeSource { NumericDate(0) }, certificates: { _, _ in nil })
        #expect(await check.findings().map(\.severity) == [severity])
    }

    @Test(
        "A proxy that turns http in the field Location into https is found by the redirect URI of an application",
        arguments: [
            ("http://127.0.0.1/callback?error=invalid_request", false), ("https://127.0.0.1/callback?error=x", true),
            ("https://a.example/login", false), (nil, false),
        ] as [(String?, Bool)])
    func location(_ location: String?, _ isChanged: Bool) async {
        let check = PublicAddressCheck(
            "https://a.example", plainRedirect: ("cli", "http://127.0.0.1/callback"),
            transport: HTTPTransport { request throws(TransportError) in
                guard request.url.hasPrefix("https://a.example/authorize?") else {
                    return OutboundResponse(status: 200, body: Array(#"{"issuer":"https://a.example"}"#.utf8))
                }
                let header = location.map { [HeaderField("location", $0)] } ?? []
                return OutboundResponse(status: 303, header: header)
            },
            time: TimeSource { NumericDate(0) }, certificates: { _, _ in nil })
        let findings = await check.findings()
        #expect(findings.map(\.severity) == [.ok] + (isChanged ? [.error] : []))
        if isChanged {
            #expect(
                findings.last?.text
                    == "A proxy there changes the field Location: the browser is sent to https://127.0.0.1/callback, and the "
                    + "redirect URI of cli is http://127.0.0.1/callback.")
        }
    }

    private static let document = "https://a.example/.well-known/oauth-authorization-server"

    @Test("A server that still has an earlier public URL needs a restart")
    func earlierAddress() async {
        let check = PublicAddressCheck(
            "https://a.example",
            transport: HTTPTransport { _ in
                OutboundResponse(status: 200, body: Array(#"{"issuer":"https://b.example"}"#.utf8))
            }, time: TimeSource { NumericDate(0) }, certificates: { _, _ in nil })
        let finding = await check.findings().first
        #expect(finding?.text == "Another issuer answers there: https://b.example.")
        let beginning =
            "If that was server.public_url before, restart the server, because a reload keeps it. Otherwise correct "
        #expect(finding?.remedy?.hasPrefix(beginning) == true)
    }

    @Test(
        "What answers at the public address in place of this server is named",
        arguments: [
            (302, "https://login.example/start?state=x", "", "The address redirects to https://login.example."),
            (301, "https://a.example:8443/", "", "The address redirects to https://a.example:8443."),
            (301, "/app/", "", "The address redirects to /app/."),
            (302, nil, "", "The server's metadata is not there: the status of \(document) is 302."),
            (401, nil, "", "Something in front of this server demands a sign-in or a permission (status 401)."),
            (403, nil, "", "Something in front of this server demands a sign-in or a permission (status 403)."),
            (200, nil, "<html>", "Something else answers there, and not this server."),
            (200, nil, "{}", "The server's metadata is not there: the status of \(document) is 200."),
            (404, nil, "<html>", "The server's metadata is not there: the status of \(document) is 404."),
        ] as [(Int, String?, String, String)])
    func otherAnswer(status: Int, location: String?, body: String, text: String) async {
        let check = PublicAddressCheck(
            "https://a.example",
            transport: HTTPTransport { _ throws(TransportError) in
                let header = location.map { [HeaderField("location", $0)] } ?? []
                return OutboundResponse(status: status, header: header, body: Array(body.utf8))
            },
            time: TimeSource { NumericDate(0) }, certificates: { _, _ in nil })
        let findings = await check.findings()
        #expect(findings.map(\.text) == [text])
        #expect(findings.map(\.severity) == [.error])
    }

    @Test("A peer that cannot be reached is named in words")
    func words() async {
        let check = PublicAddressCheck(
            "https://a.example",
            transport: HTTPTransport { _ throws(TransportError) in throw .timedOut(host: "a.example", requestSent: true)
            },
            time: TimeSource { NumericDate(0) }, certificates: { _, _ in nil })
        let texts = await check.findings().map(\.text)
        #expect(
            texts.first?.hasPrefix("This machine gets no answer there: a.example did not answer in time.") == true
        )
    }

    @Test("A cause that the certificates show replaces the refusal of the connection")
    func cause() async throws {
        let check = PublicAddressCheck(
            "https://[2001:db8::7]:8443",
            transport: HTTPTransport { _ throws(TransportError) in throw .untrusted(host: "2001:db8::7") },
            time: TimeSource { NumericDate(0) }
        ) { host, port in
            #expect((host, port) == ("2001:db8::7", 8443))
            return try? Self.chain(["server-certificate"])
        }
        #expect(await check.findings().map(\.id) == ["tls.dates", "tls.self_signed"])
    }

    @Test("Certificates without a fault have one finding, which says so")
    func fine() throws {
        #expect(try Self.findings(daysLeft: 14) == ["ok tls.chain"])
    }

    @Test("Each fault of certificates has its own finding")
    func faults() throws {
        #expect(try Self.findings(["chain-server"]) == ["error tls.chain"])
        #expect(try Self.findings(host: "other.example") == ["error tls.name"])
        let other = CertificateFindings.sent(
            try Self.chain(["chain-server"]), by: "other.example", trusting: Self.authorities, at: NumericDate(0))
        #expect(other.first?.text == "The certificate there is not for this name, but for DNS:\(Self.host).")
        #expect(try Self.findings(["server-certificate"]) == ["error tls.self_signed"])
        #expect(
            try Self.findings(["chain-server", "chain-between", "chain-root"], trusting: "server-certificate")
                == ["error tls.authority"])
    }

    @Test(
        "A certificate that ends within two weeks is a warning, and one that has ended an error",
        arguments: [(13, ["warning tls.dates"]), (0, ["warning tls.dates"]), (-1, ["error tls.dates"])]
            as [(Int64, [String])])
    func dates(daysLeft: Int64, expected: [String]) throws {
        #expect(try Self.findings(daysLeft: daysLeft) == expected)
    }

    @Test("A certificate that is not valid yet is an error")
    func early() throws {
        let chain = try Self.chain(["chain-server", "chain-between"])
        let begin = try #require(chain.validity?.notBefore)
        let findings = CertificateFindings.sent(
            chain, by: Self.host, trusting: Self.authorities, at: NumericDate(begin - 1))
        #expect(findings.map(\.id) == ["tls.dates"])
    }

    @Test("A file must have every certificate except the root, in order")
    func file() throws {
        func ids(_ names: [String]) throws -> [String] {
            CertificateFindings.file(try Self.chain(names), at: "a.pem", trusting: Self.authorities).map(\.id)
        }
        #expect(try ids(["chain-server", "chain-between"]) == [])
        #expect(try ids(["chain-server"]) == ["server.certificate_chain"])
        #expect(try ids(["chain-server", "chain-root", "chain-between"]) == ["server.certificate_order"])
        // That no client trusts it is a finding about the public address.
        #expect(try ids(["server-certificate"]) == [])
    }

    private static func findings(
        _ names: [String] = ["chain-server", "chain-between"], host: String = Self.host, daysLeft: Int64 = 100,
        trusting authorities: String = "chain-root"
    ) throws -> [String] {
        let chain = try chain(names)
        let end = try #require(chain.validity?.notAfter)
        return CertificateFindings.sent(
            chain, by: host, trusting: Fixtures.path(authorities), at: NumericDate(end - daysLeft * 86400)
        ).map { "\($0.severity.rawValue) \($0.id)" }
    }

    private static func chain(_ names: [String]) throws -> CertificateChain {
        try #require(CertificateChain(pem: try names.map(Fixtures.pem).joined(separator: "\n")))
    }
}
