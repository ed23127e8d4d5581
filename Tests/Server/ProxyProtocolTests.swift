import Fixtures
import Support
import Testing
import Transport

@testable import Server

@Suite("A listener with the PROXY protocol", .serialized, .timeLimit(.minutes(5)))
struct ProxyProtocolTests {
    private static func plan(trusting: Bool = true) -> Plan {
        var plan = Plan.limits { $0.startsPerAddress = RateLimit(count: 1, period: .seconds(60)) }
        plan.trustsLoopback = trusting
        plan.proxyProtocol = true
        return plan
    }

    private static func ask(
        _ server: TestServer, after header: Header, _ fields: String...
    ) async throws -> OutboundResponse? {
        let request = TestServer.request(header: ["Content-Type: application/json"] + fields)
        return try await Wire.connect(to: server.publicPort) { wire in
            try await wire.send(header.octets + Array(request.utf8))
            return try await wire.response()
        }
    }

    @Test("The limits count the client that the proxy names")
    func client() async throws {
        try await TestServer.open(Self.plan()) { server in
            for last: UInt8 in [1, 2] {
                let header = Header.client([192, 0, 2, last])
                #expect(try await Self.ask(server, after: header)?.status == 200)
                try expectRefusal(try await Self.ask(server, after: header), "rate_limited", retry: "same")
            }
        }
    }

    @Test("The limits count the proxy itself for its own connections")
    func local() async throws {
        try await TestServer.open(Self.plan()) { server in
            #expect(try await Self.ask(server, after: Header(command: 0x20))?.status == 200)
            #expect(try await Self.ask(server, after: .client([192, 0, 2, 1]))?.status == 200)
            try expectRefusal(
                try await Self.ask(server, after: .client([127, 0, 0, 1])), "rate_limited", retry: "same")
        }
    }

    @Test("X-Forwarded-For counts only if the client that the proxy names is a trusted proxy too")
    func forwardedFor() async throws {
        try await TestServer.open(Self.plan()) { server in
            let field = "X-Forwarded-For: 192.0.2.1"
            let proxy = Header.client([127, 0, 0, 1])
            #expect(try await Self.ask(server, after: proxy, field)?.status == 200)
            try expectRefusal(try await Self.ask(server, after: proxy, field), "rate_limited", retry: "same")
            #expect(try await Self.ask(server, after: .client([192, 0, 2, 9]), field)?.status == 200)
        }
    }

    @Test("A header that arrives in parts, and a request after it, are read")
    func parts() async throws {
        try await TestServer.open(Self.plan()) { server in
            try await Wire.connect(to: server.publicPort) { wire in
                for octet in Header.ipv4.octets { try await wire.send([octet]) }
                try await wire.send(TestServer.request())
                #expect(try await wire.response()?.status == 200)
            }
        }
    }

    @Test("A peer that is not a trusted proxy is disconnected, whatever it sends, and reported once")
    func untrusted() async throws {
        try await TestServer.open(Self.plan(trusting: false)) { server in
            for octets in [[], Header.ipv4.octets, Array("GET ".utf8)] {
                let received = try await Wire.connect(to: server.publicPort) { wire in
                    try? await wire.send(octets + Array(TestServer.request().utf8))
                    return await wire.rest()
                }
                #expect(received.isEmpty)
            }
            let metrics = try await server.get("/metrics", admin: true).text
            #expect(metrics.contains("token_exchange_refused_connections_total{reason=\"untrusted_peer\"} 3\n"))
            let reports = server.log.lines.filter { $0.contains("untrusted_peer") }
            #expect(reports.count == 1)
            #expect(reports.first?.contains("127.0.0.1") == true)
            #expect(reports.first?.contains("as a block (with /32, or /128 for IPv6)") == true)
        }
    }

    @Test("A connection without a valid header is closed without a response")
    func noHeader() async throws {
        try await TestServer.open(Self.plan()) { server in
            for octets in [Array(TestServer.request().utf8), Header(command: 0x22).octets] {
                let received = try await Wire.connect(to: server.publicPort) { wire in
                    try? await wire.send(octets)
                    return await wire.rest()
                }
                #expect(received.isEmpty)
            }
            let metrics = try await server.get("/metrics", admin: true).text
            for reason in ["no_header", "unknown_command"] {
                #expect(metrics.contains("token_exchange_refused_connections_total{reason=\"\(reason)\"} 1\n"))
            }
        }
    }

    @Test("A TLS handshake in place of the header is named")
    func handshake() async throws {
        try await TestServer.open(Self.plan()) { server in
            let received = try await Wire.connect(to: server.publicPort) { wire in
                try? await wire.send([22, 3, 1, 2, 0, 1, 0])
                return await wire.rest()
            }
            #expect(received.isEmpty)
            let report = try #require(server.log.lines.first { $0.contains("no_header") })
            #expect(report.contains("the first octet is that of a TLS handshake: if this"), "\(report)")
        }
    }

    @Test("A connection whose header does not end is closed at its deadline, and one without octets is not counted")
    func deadline() async throws {
        var plan = Self.plan()
        plan.limits.handshakeDeadline = .milliseconds(200)
        try await TestServer.open(plan) { server in
            for count in [0, 20] {
                let received = try await Wire.connect(to: server.publicPort) { wire in
                    try await wire.send(Array(Header.ipv4.octets.prefix(count)))
                    return await wire.rest()
                }
                #expect(received.isEmpty)
            }
            let metrics = try await server.get("/metrics", admin: true).text
            #expect(metrics.contains("token_exchange_refused_connections_total{reason=\"incomplete\"} 1\n"))
        }
    }

    @Test("A connection whose other side ends during the header is closed before its deadline")
    func ended() async throws {
        var plan = Self.plan()
        // Longer than the test may take.
        plan.limits.handshakeDeadline = .seconds(600)
        try await TestServer.open(plan) { server in
            let received = try await Wire.connect(to: server.publicPort) { wire in
                try await wire.send([13])
                wire.finish()
                return await wire.rest()
            }
            #expect(received.isEmpty)
        }
    }

    @Test("The handshake of TLS begins after the header, with a deadline of its own")
    func tls() async throws {
        var plan = Self.plan()
        plan.limits.handshakeDeadline = .milliseconds(200)
        plan.certificate = try ServerCertificate(
            chain: Fixtures.pem("server-certificate"), key: Fixtures.pem("p256"))
        try await TestServer.open(plan) { server in
            let received = try await Wire.connect(to: server.publicPort) { wire in
                try await wire.send(Header.ipv4.octets + Array(TestServer.request().utf8))
                return await wire.rest()
            }
            #expect(!String(decoding: received, as: UTF8.self).contains("HTTP"))
            let silent = try await Wire.connect(to: server.publicPort) { wire in
                try await wire.send(Header.ipv4.octets)
                return await wire.rest()
            }
            #expect(silent.isEmpty)
        }
    }

    @Test(
        "Another protocol behind the header is reported with the address of the proxy",
        arguments: [([22, 3, 1, 2, 0, 1, 0], "tls"), (Header.ipv4.octets, "proxy_protocol")] as [([UInt8], String)])
    func otherProtocol(octets: [UInt8], reason: String) async throws {
        try await TestServer.open(Self.plan()) { server in
            _ = try await Wire.connect(to: server.publicPort) { wire in
                try await wire.send(Header.ipv4.octets + octets)
                return await wire.rest()
            }
            let metrics = try await server.get("/metrics", admin: true).text
            #expect(metrics.contains("token_exchange_refused_connections_total{reason=\"\(reason)\"} 1\n"))
            let reports = server.log.lines.filter { $0.contains("another protocol") }
            #expect(reports.count == 1)
            #expect(reports.first?.contains("\"address\": 127.0.0.1") == true, "\(reports)")
            #expect(reports.first?.contains("\"reason\": \(reason)") == true, "\(reports)")
        }
    }

    @Test("The admin listener reads no header")
    func admin() async throws {
        try await TestServer.open(Self.plan()) { server in
            let response = try await server.get("/healthz", admin: true)
            #expect(response.status == 200)
        }
    }
}
