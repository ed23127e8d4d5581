import Fixtures
import OpenSSL
import Testing

@Suite("The certificates of a server")
struct CertificateChainTests {
    private static let authorities = Fixtures.path("chain-root")

    @Test("A certificate and its authority lead to a trusted root, in any order and with the root or without")
    func trusted() throws {
        for others in [["chain-between"], ["chain-between", "chain-root"], ["chain-root", "chain-between"]] {
            try Self.chain(["chain-server"] + others).verify(trusting: Self.authorities)
        }
    }

    @Test(
        "What is missing is named",
        arguments: [
            (["chain-server"], "chain-root", .missing("/CN=Between")),
            (["server-certificate"], "chain-root", .selfSigned),
            (["chain-server", "chain-between"], "server-certificate", .missing("/CN=Root")),
            (["chain-server", "chain-between", "chain-root"], "server-certificate", .untrustedRoot("/CN=Root")),
        ] as [([String], String, CertificateChain.Fault)])
    func untrusted(names: [String], authorities: String, fault: CertificateChain.Fault) throws {
        #expect(throws: fault) { try Self.chain(names).verify(trusting: Fixtures.path(authorities)) }
    }

    @Test("A file without authorities is named")
    func noAuthorities() throws {
        #expect(throws: CertificateChain.Fault.invalid("/nowhere cannot be read")) {
            try Self.chain(["chain-server"]).verify(trusting: "/nowhere")
        }
    }

    @Test("Each certificate must have issued the one before it")
    func order() throws {
        #expect(try Self.chain(["chain-server", "chain-between", "chain-root"]).firstMisplaced == nil)
        #expect(try Self.chain(["chain-server"]).firstMisplaced == nil)
        #expect(try Self.chain(["chain-server", "chain-root", "chain-between"]).firstMisplaced == 2)
        #expect(try Self.chain(["chain-server", "chain-between", "chain-server"]).firstMisplaced == 3)
    }

    @Test("The first certificate names the host")
    func names() throws {
        #expect(try Self.chain(["chain-server", "chain-between"]).names("auth.example.com"))
        #expect(try !Self.chain(["chain-server", "chain-between"]).names("example.com"))
        #expect(try !Self.chain(["chain-between", "chain-server"]).names("auth.example.com"))
        #expect(try Self.chain(["server-certificate"]).names("192.0.2.7"))
    }

    @Test(
        "A certificate is for the hosts that it names",
        arguments: ["auth.example.com", "AUTH.example.com", "one.apps.example.com", "192.0.2.7", "2001:db8::7"])
    func named(host: String) throws {
        #expect(try Self.chain(["server-certificate"]).names(host))
    }

    @Test(
        "A certificate is not for other hosts, and not for the common name of its subject",
        arguments: [
            "example.com", "auth.example.com.evil.com", "one.two.apps.example.com", "apps.example.com", "192.0.2.8",
            "common.example.com", "",
        ])
    func notNamed(host: String) throws {
        #expect(try !Self.chain(["server-certificate"]).names(host))
    }

    @Test("The names of the first certificate are told, and a certificate with only a common name has none")
    func alternativeNames() throws {
        let named = try Self.chain(["chain-server", "chain-between"])
        #expect(named.subjectAlternativeNames == "DNS:auth.example.com")
        #expect(try Self.chain(["chain-between"]).subjectAlternativeNames == nil)
    }

    @Test("A chain is valid while all of its certificates are")
    func validity() throws {
        let server = try #require(try Self.chain(["chain-server"]).validity)
        let between = try #require(try Self.chain(["chain-between"]).validity)
        let both = try #require(try Self.chain(["chain-between", "chain-server"]).validity)
        #expect(both.notBefore == max(server.notBefore, between.notBefore))
        #expect(both.notAfter == server.notAfter)
        #expect(server.notAfter - server.notBefore == 18000 * 86400)
    }

    @Test(
        "A certificate has one private key, which is compared only if it has no passphrase",
        arguments: [("rsa-2048", true), ("p256", false), ("rsa-2048-encrypted", nil), ("rsa-2048-certificate", nil)]
            as [(String, Bool?)])
    func key(name: String, isFirst: Bool?) throws {
        #expect(try Self.chain(["rsa-2048-certificate"]).isFirst(ofKey: try Fixtures.pem(name)) == isFirst)
    }

    @Test("A text without certificates, and octets that are none, are no chain")
    func malformed() throws {
        #expect(CertificateChain(pem: try Fixtures.pem("p256")) == nil)
        #expect(CertificateChain(der: []) == nil)
        #expect(CertificateChain(der: [[0x30, 0x00]]) == nil)
    }

    private static func chain(_ names: [String]) throws -> CertificateChain {
        try #require(CertificateChain(pem: try names.map(Fixtures.pem).joined(separator: "\n")))
    }
}
