import Settings
import Support
import Testing

/// Tests of `server.tls`, with one error at a time.
@Suite("TLS of the public listener")
struct TLSSettingsTests {
    private static let members = ["certificate: /keys/chain.pem", "key: /keys/key.pem"]

    @Test("A certificate and its key are read, and browsers remember TLS for one year")
    func valid() throws {
        let tls = try #require(try Self.parse(Self.members).server.tls)
        #expect(tls.certificate.path == "/keys/chain.pem")
        #expect(tls.certificate.content.secretText == Sample.chain)
        #expect(tls.key.content.secretText == Sample.key)
        #expect(tls.strictTransportSecurity == .seconds(31_536_000))
    }

    @Test("Without tls the listener speaks HTTP", arguments: ["max_in_flight: 100", "max_in_flight: 100\ntls: null"])
    func missing(lines: String) throws {
        let yaml = try Sample.changing("max_in_flight: 100", to: lines).yaml
        #expect(try Sample.loader().parse(yaml: yaml).server.tls == nil)
    }

    @Test(
        "strict_transport_security is off, or a duration",
        arguments: [("off", nil), ("1m", .seconds(60)), ("730d", .seconds(63_072_000))] as [(String, Duration?)])
    func strictTransportSecurity(text: String, duration: Duration?) throws {
        let settings = try Self.parse(Self.members + ["strict_transport_security: \(text)"])
        #expect(try #require(settings.server.tls).strictTransportSecurity == duration)
        let line = "server.tls.strict_transport_security: \(text)"
        #expect(settings.summary.contains { $0.hasPrefix(line) }, "\(settings.summary)")
    }

    @Test(
        "A wrong member is refused",
        arguments: [
            (
                ["certificate: /keys/chain.pem"], "key",
                "is missing: write the path of the certificate's private key, such as /etc/token-exchange/privkey.pem",
                1
            ),
            (
                ["key: /keys/key.pem"], "certificate",
                "is missing: write the path of the certificate, such as /etc/token-exchange/fullchain.pem", 1
            ),
            (
                ["certificate: chain.pem", members[1]], "certificate",
                "write an absolute path, such as /etc/token-exchange/certificate.pem", 2
            ),
            (
                [members[0], "key: file:/keys/key.pem"], "key",
                "write an absolute path, such as /etc/token-exchange/key.pem, without file: before it", 3
            ),
            (
                [#"certificate: "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----""#, members[1]],
                "certificate",
                "is a PEM text, which belongs in a file: write an absolute path, such as /etc/token-exchange/certificate.pem",
                2
            ),
            (
                [members[0], "key: env:TLS_KEY"], "key",
                "write an absolute path, such as /etc/token-exchange/key.pem", 3
            ),
            (["certificate: /keys/none.pem", members[1]], "certificate", "the file /keys/none.pem does not exist", 2),
            (
                ["certificate: /keys/x-consumer", members[1]], "certificate",
                "the file /keys/x-consumer is not a certificate in PEM, because it has no line -----BEGIN ...-----: name the right file",
                2
            ),
            (
                [members[0], "key: /keys/empty"], "key",
                "the file /keys/empty is empty: write the private key in PEM there", 3
            ),
            (
                members + ["strict_transport_security: 59s"], "strict_transport_security",
                "must be from 1m to 730d, or off", 4
            ),
        ])
    func wrongMember(members: [String], key: String, message: String, offset: Int) throws {
        try Self.change(members, "server.tls.\(key)", message, offset: offset).expectRefusal()
    }

    @Test("A private key that other users can read is refused")
    func openKey() throws {
        try Self.change(
            [Self.members[0], "key: /open/key.pem"], "server.tls.key",
            "the file /open/key.pem can be read by its group and by all other users: run chmod 600 /open/key.pem, or start with --allow-insecure-permissions",
            offset: 3
        ).expectRefusal()
        #expect(throws: Never.self) { try Self.parse(["certificate: /open/chain.pem", Self.members[1]]) }
    }

    @Test("A public URL of HTTP is refused, because the listener would accept only TLS")
    func publicURL() throws {
        let yaml = try Sample.changing("max_in_flight: 100", to: Self.block(Self.members)).yaml
            .replacing("https://auth.example.com", with: "http://localhost:8080")
        let problem = SettingsProblem(
            line: 7, key: "server.tls",
            message: "needs a server.public_url that begins with https://, because the listener accepts only TLS")
        #expect(throws: SettingsProblems([problem])) { try Sample.loader().parse(yaml: yaml) }
    }

    @Test("A server is the same with another certificate, and not without one or with another duration")
    func same() throws {
        let server = try Self.parse(Self.members).server
        #expect(try server.isSame(as: Self.parse(["certificate: /keys/chain2.pem", Self.members[1]]).server))
        #expect(try !server.isSame(as: Self.parse(Self.members + ["strict_transport_security: off"]).server))
        let off = try Self.parse(Self.members + ["strict_transport_security: off"]).server
        let without = try Sample.loader().parse(yaml: Sample.yaml).server
        #expect(!off.isSame(as: without))
        #expect(!without.isSame(as: off))
    }

    private static func block(_ members: [String]) -> String {
        "max_in_flight: 100\ntls:\n" + members.map { "  " + $0 }.joined(separator: "\n")
    }

    private static func parse(_ members: [String]) throws -> Settings {
        try Sample.loader().parse(yaml: Sample.changing("max_in_flight: 100", to: block(members)).yaml)
    }

    private static func change(_ members: [String], _ key: String, _ message: String, offset: Int) -> Change {
        Change("max_in_flight: 100", block(members), key, message, offset: offset)
    }
}
