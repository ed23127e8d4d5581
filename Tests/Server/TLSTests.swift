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

    @Test(
        "A connection that begins with another protocol is closed, counted and reported with its address",
        arguments: [
            // RFC 8446 §5.1, RFC 9110 §9, RFC 9113 §3.4, and versions 1 and 2 of the PROXY protocol.
            (false, [22, 3, 1, 2, 0, 1, 0], "tls"),
            (true, Array("POST /v1/exchange HTTP/1.1\r\n".utf8), "http"),
            (false, Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8), "http2_without_tls"),
            (false, Array("PROXY TCP4 192.0.2.1 127.0.0.1 1 2\r\n".utf8), "proxy_protocol"),
            (true, Header.ipv4.octets, "proxy_protocol"),
        ] as [(Bool, [UInt8], String)])
    func otherProtocol(isSecure: Bool, octets: [UInt8], reason: String) async throws {
        try await TestServer.open(isSecure ? Self.plan() : Plan()) { server in
            _ = try await Wire.connect(to: server.publicPort) { wire in
                try await wire.send(octets)
                return await wire.rest()
            }
            let metrics = try await server.get("/metrics", admin: true).text
            #expect(metrics.contains("token_exchange_refused_connections_total{reason=\"\(reason)\"} 1\n"))
            let reports = server.log.lines.filter { $0.contains("another protocol") }
            #expect(reports.count == 1)
            #expect(reports.first?.contains("127.0.0.1") == true)
            #expect(reports.first?.contains("\"reason\": \(reason)") == true, "\(reports)")
        }
    }

    @Test(
        "A client that does not accept the certificate is reported with its alert, and one that leaves is not",
        arguments: [
            ([22, 3, 1, 2, 0], nil), ([21, 3, 3, 0, 2, 2, 40], nil), ([21, 3, 3, 0, 2, 2, 48], "unknown_ca"),
            ([21, 3, 3, 0, 2, 2, 46], "certificate_unknown"),
        ] as [([UInt8], String?)])
    func refusedCertificate(octets: [UInt8], alert: String?) async throws {
        try await TestServer.open(Self.plan()) { server in
            _ = try await Wire.connect(to: server.publicPort) { wire in
                try await wire.send(octets)
                if alert != nil { _ = await wire.rest() }
            }
            let metrics = try await server.get("/metrics", admin: true).text
            #expect(
                metrics.contains("token_exchange_refused_connections_total{reason=\"certificate_refused\"} 1\n")
                    == (alert != nil))
            let reports = server.log.lines.filter { $0.contains("TLS handshake with the alert") }
            #expect(reports.count == (alert == nil ? 0 : 1))
            if let alert { #expect(reports.first?.contains("the alert \(alert) about the certificate") == true) }
            #expect(reports.first?.contains("127.0.0.1") != true)
        }
    }

    @Test("A further connection with another protocol within the hour is counted, and not reported again")
    func repeatedProtocol() async throws {
        try await TestServer.open { server in
            let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
            for octets: [UInt8] in [[22, 3, 1, 2, 0, 1, 0], [22, 3, 3, 2, 0, 1, 0], preface] {
                _ = try await Wire.connect(to: server.publicPort) { wire in
                    try await wire.send(octets)
                    return await wire.rest()
                }
            }
            let metrics = try await server.get("/metrics", admin: true).text
            #expect(metrics.contains("token_exchange_refused_connections_total{reason=\"tls\"} 2\n"))
            let reports = server.log.lines.filter { $0.contains("another protocol") }
            #expect(reports.count == 2)
            for reason in ["tls", "http2_without_tls"] {
                #expect(reports.count { $0.contains("\"reason\": \(reason)") } == 1, "\(reports)")
            }
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
