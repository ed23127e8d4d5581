import Fixtures
import Server
import Testing

@Suite("TLS of the public listener", .timeLimit(.minutes(5)))
struct TLSTests {
    @Test("A client that does not speak TLS is disconnected without a response of HTTP")
    func plainText() async throws {
        try await TestServer.open(Self.plan()) { server in
            let bytes = try await Wire.connect(to: server.publicPort) { wire in
                try await wire.send(TestServer.request())
                return await wire.rest()
            }
            #expect(!String(decoding: bytes, as: UTF8.self).contains("HTTP"))
        }
    }

    @Test("A connection whose handshake does not begin or does not end is closed at its deadline", arguments: [0, 5])
    func deadline(bytes: Int) async throws {
        var plan = try Self.plan()
        plan.limits.handshakeDeadline = .milliseconds(200)
        try await TestServer.open(plan) { server in
            let received = try await Wire.connect(to: server.publicPort) { wire in
                // RFC 8446 §5.1: the header of a record with 512 bytes of handshake, of which none follow.
                try await wire.send(Array([22, 3, 1, 2, 0].prefix(bytes)))
                return await wire.rest()
            }
            #expect(received.isEmpty)
        }
    }

    private static func plan() throws -> Plan {
        var plan = Plan()
        plan.certificate = try ServerCertificate(
            chain: Fixtures.pem("server-certificate"), key: Fixtures.pem("p256"))
        return plan
    }
}
