import Jansson
import Server
import Support
import Testing
import Transport

@Suite("Connections", .serialized, .timeLimit(.minutes(5)))
struct ConnectionTests {
    private static let slow = "POST /v1/nonce HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"

    @Test("HT-03: a slow body ends the connection at its deadline, and holds no place")
    func slowBody() async throws {
        let plan = Plan.limits {
            $0.bodyDeadline = .milliseconds(200)
            $0.inFlight = 20
        }
        try await TestServer.open(plan) { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await Wire.connect(to: server.publicPort) { wire in
                            try await wire.send(Self.slow + "Content-Length: 1000\r\n\r\n")
                            // Longer than the test may take if the connection stays open.
                            while (try? await wire.send("{")) != nil { try await Task.sleep(for: .milliseconds(10)) }
                            #expect(await wire.rest().isEmpty)
                        }
                    }
                }
                try await group.waitForAll()
            }
            while server.concurrencyLimit.inFlight > 0 { try await Task.sleep(for: .milliseconds(2)) }
            #expect(try await server.post("/v1/nonce", Bodies.nonce).status == 200)
        }
    }

    @Test(
        "A client of HTTP/1.1 that expects the status 100 gets it before it sends a body that is not too large",
        arguments: [
            ("1.1", "100-continue", 0, [100, 200]), ("1.1", "100-Continue", 0, [100, 200]),
            ("1.1", "100-continue", 100_000, [413]), ("1.0", "100-continue", 0, [200]), ("1.1", "200-ok", 0, [200]),
        ])
    func expectation(version: String, expectation: String, excess: Int, statuses: [Int]) async throws {
        try await TestServer.open { server in
            try await Wire.connect(to: server.publicPort) { wire in
                let body = Bodies.nonce.text
                try await wire.send(
                    "POST /v1/nonce HTTP/\(version)\r\nHost: a\r\nContent-Type: application/json\r\n"
                        + "Content-Length: \(body.utf8.count + excess)\r\nExpect: \(expectation)\r\n\r\n")
                for status in statuses {
                    if status == 200 { try await wire.send(body) }
                    #expect(try await wire.response()?.status == status)
                }
            }
        }
    }

    @Test("HT-03: a header that drips ends the connection at its deadline")
    func slowHeader() async throws {
        try await TestServer.open(.limits { $0.headerDeadline = .milliseconds(200) }) { server in
            let bytes = try await Wire.connect(to: server.publicPort) { wire in
                try await wire.send(Self.slow)
                for _ in 0..<40 {
                    guard (try? await wire.send("X")) != nil else { break }
                    try await Task.sleep(for: .milliseconds(10))
                }
                return await wire.rest()
            }
            #expect(bytes.isEmpty)
        }
    }

    @Test("HT-18: a connection without data is closed, at its beginning and between requests")
    func idle() async throws {
        try await TestServer.open(.limits { $0.headerDeadline = .milliseconds(500) }) { server in
            try await Wire.connect(to: server.publicPort) { wire in
                #expect(await wire.rest().isEmpty)
            }
            try await Wire.connect(to: server.publicPort) { wire in
                try await wire.send(TestServer.request())
                #expect(try await wire.response()?.status == 200)
                #expect(await wire.rest().isEmpty)
            }
        }
    }

    @Test("A connection of a trusted proxy may wait longer for its next request, and not for its first one")
    func idleProxy() async throws {
        var plan = Plan.limits { $0.headerDeadline = .milliseconds(200) }
        plan.trustsLoopback = true
        try await TestServer.open(plan) { server in
            try await Wire.connect(to: server.publicPort) { wire in
                try await wire.send(TestServer.request())
                #expect(try await wire.response()?.status == 200)
                // The deadline of another connection passes.
                try await Wire.connect(to: server.publicPort) { other in #expect(await other.rest().isEmpty) }
                try await wire.send(TestServer.request())
                #expect(try await wire.response()?.status == 200)
            }
        }
    }

    @Test("A request that is being answered is not closed for being slow itself")
    func slowResponse() async throws {
        let plan = Plan.limits {
            $0.headerDeadline = .milliseconds(400)
            $0.bodyDeadline = .milliseconds(400)
        }
        try await TestServer.open(plan) { server in
            let body = try await server.codeBody()
            try await server.standIns.fault("yahoo.token", ["delay_ms": 1000])
            #expect(try await server.exchange(body).status == 200)
        }
    }

    @Test("The connection of a client that does not read its responses is closed", .timeLimit(.minutes(5)))
    func unread() async throws {
        try await TestServer.open(.limits { $0.responseDeadline = .milliseconds(200) }) { server in
            let requests = String(repeating: "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n", count: 1000)
            try await Wire.connect(to: server.publicPort) { wire in
                // Continues while the connection is open, until the buffers of both sides are full.
                while (try? await wire.send(requests)) != nil {}
            }
            #expect(try await server.post("/v1/nonce", Bodies.nonce).status == 200)
        }
    }

    @Test("HT-18: above the limit of connections, the one that has waited longest for its client is closed")
    func cap() async throws {
        try await TestServer.open(.limits { $0.connections = 2 }) { server in
            try await Wire.connect(to: server.publicPort) { first in
                try await first.send(TestServer.request())
                #expect(try await first.response()?.status == 200)
                try await Wire.connect(to: server.publicPort) { second in
                    try await second.send(TestServer.request())
                    #expect(try await second.response()?.status == 200)
                    try await Wire.connect(to: server.publicPort) { third in
                        try await third.send(TestServer.request())
                        #expect(try await third.response()?.status == 200)
                        #expect(await first.rest().isEmpty)
                        try await second.send(TestServer.request())
                        #expect(try await second.response()?.status == 200)
                    }
                }
            }
        }
    }

    @Test("HT-18: a connection waits while all others are served, and is served when one of them is not")
    func served() async throws {
        try await TestServer.open(.limits { $0.connections = 1 }) { server in
            let body = try await server.codeBody()
            server.gate.shut()
            try await Wire.connect(to: server.publicPort) { first in
                try await first.send(TestServer.request("POST /v1/exchange HTTP/1.1", body: body.text))
                await server.gate.isReached()
                try await Wire.connect(to: server.publicPort) { second in
                    try await second.send(TestServer.request())
                    server.gate.open()
                    #expect(try await first.response()?.status == 200)
                    // The first connection, which waits now, gives way.
                    #expect(await first.rest().isEmpty)
                    #expect(try await second.response()?.status == 200)
                }
            }
        }
    }

    @Test(
        "HT-18: above the share of a network, its connection that has waited longest is closed",
        arguments: [true, false])
    func share(isTrusted: Bool) async throws {
        var plan = Plan.limits { $0.connections = 64 }
        plan.trustsLoopback = isTrusted
        try await TestServer.open(plan) { server in
            try await Wire.connect(to: server.publicPort) { first in
                try await first.send(TestServer.request())
                #expect(try await first.response()?.status == 200)
                try await open(8) {
                    if isTrusted {
                        try await first.send(TestServer.request())
                        #expect(try await first.response()?.status == 200)
                    } else {
                        #expect(await first.rest().isEmpty)
                    }
                }
            }

            /// Opens so many connections, and has one response on each.
            func open(_ count: Int, then: () async throws -> Void) async throws {
                guard count > 0 else { return try await then() }
                try await Wire.connect(to: server.publicPort) { wire in
                    try await wire.send(TestServer.request())
                    #expect(try await wire.response()?.status == 200)
                    try await open(count - 1, then: then)
                }
            }
        }
    }

    @Test("HT-04: a connection whose request has its response before its body is closed")
    func refusedBeforeBody() async throws {
        try await TestServer.open { server in
            for line in ["POST /v1/nothing", "PUT /v1/nonce", "POST /v1/nonce?a=b", "GET /openapi.json"] {
                try await Wire.connect(to: server.publicPort) { wire in
                    let head = "Host: a\r\nContent-Type: application/json\r\nContent-Length: 65536\r\n\r\n"
                    try await wire.send("\(line) HTTP/1.1\r\n\(head){")
                    let response = try await wire.response()
                    #expect([200, 400, 404, 405].contains(response?.status), "\(line)")
                    #expect(response?[field: "Connection"] == "close", "\(line)")
                    #expect(await wire.rest().isEmpty)
                }
            }
            // A request whose body has arrived keeps its connection.
            try await Wire.connect(to: server.publicPort) { wire in
                for _ in 0..<2 {
                    try await wire.send(TestServer.request("POST /v1/nothing HTTP/1.1"))
                    let response = try await wire.response()
                    #expect(response?.status == 404)
                    #expect(response?[field: "Connection"] == nil)
                }
            }
        }
    }

    @Test("A response that its client does not read has a place, which the next request gets if there is no other")
    func unreadPlace() async throws {
        let plan = Plan.limits {
            $0.inFlight = 1
            $0.responseDeadline = .seconds(600)
        }
        try await TestServer.open(plan) { server in
            let requests = String(repeating: "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n", count: 500)
            try await Wire.connect(to: server.publicPort) { wire in
                wire.begin(requests)
                while server.concurrencyLimit.inFlight == 0 { try await Task.sleep(for: .milliseconds(2)) }
                // Refused until the buffers of both sides are full, so that the first response waits for its client.
                while try await server.post("/v1/nonce", Bodies.nonce).status != 200 {
                    try await Task.sleep(for: .milliseconds(2))
                }
            }
            while server.concurrencyLimit.inFlight > 0 { try await Task.sleep(for: .milliseconds(2)) }
        }
    }

    @Test("HT-04: only a little of a body of a gigabyte is read, at any endpoint", arguments: [true, false])
    func hugeBody(isChunked: Bool) async throws {
        try await TestServer.open { server in
            let length = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: 1073741824"
            try await withThrowingTaskGroup(of: Void.self) { group in
                for line in [
                    "POST /v1/exchange", "POST /v1/signin", "POST /v1/nonce", "POST /v1/other", "GET /openapi.json",
                ] {
                    group.addTask {
                        try await Wire.connect(to: server.publicPort) { wire in
                            try await wire.send(
                                "\(line) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\(length)\r\n\r\n")
                            // Includes the bytes that the kernels of both sides buffer.
                            let sent = await wire.pour(96 << 20, chunked: isChunked)
                            #expect(sent < 48 << 20, "\(line)")
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await server.post("/v1/nonce", Bodies.nonce).status == 200)
        }
    }

    @Test(
        "HT-04: a client that sends too much can read the error response, and the connection ends",
        arguments: [100_000, 300_000, 8_000_000], [true, false])
    func someTooMuch(count: Int, isChunked: Bool) async throws {
        try await TestServer.open { server in
            let body = String(repeating: "a", count: count)
            let length = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(count)"
            let text = isChunked ? "\(String(count, radix: 16))\r\n\(body)\r\n0\r\n\r\n" : body
            try await Wire.connect(to: server.publicPort) { wire in
                wire.begin(Self.slow + length + "\r\n\r\n" + text)
                let response = try await wire.response()
                try expectRefusal(response, "body_too_large")
                #expect(response?[field: "Connection"] == "close")
                #expect(await wire.rest().isEmpty)
            }
        }
    }

    @Test("HT-14: a thousand pipelined requests are answered in their order")
    func pipelined() async throws {
        try await TestServer.open { server in
            let count = 1000
            let (first, second) = (TestServer.request(), "GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n")
            let third = TestServer.request("PUT /v1/exchange HTTP/1.1", body: "")
            let statuses = try await Wire.connect(to: server.publicPort) { wire in
                try await wire.send((0..<count).map { [first, second, third][$0 % 3] }.joined())
                var statuses: [Int] = []
                while statuses.count < count, let response = try await wire.response() {
                    statuses.append(response.status)
                }
                return statuses
            }
            #expect(statuses == (0..<count).map { [200, 404, 405][$0 % 3] })
        }
    }

    @Test("HT-14: nothing behind a request with Connection: close is answered")
    func closing() async throws {
        try await TestServer.open { server in
            try await Wire.connect(to: server.publicPort) { wire in
                let last = TestServer.request(header: ["Content-Type: application/json", "Connection: close"])
                try await wire.send(last + TestServer.request())
                #expect(try await wire.response()?.status == 200)
                #expect(await wire.rest().isEmpty)
            }
        }
    }

    @Test("HT-14: a client that closed its sending side gets its responses; one that is gone does no harm")
    func halfClosed() async throws {
        try await TestServer.open { server in
            try await Wire.connect(to: server.publicPort) { wire in
                try await wire.send(TestServer.request())
                wire.finish()
                #expect(try await wire.response()?.status == 200)
            }
            // The keys are at hand from then on, so that the first call that the gate holds back redeems a code.
            #expect(try await server.exchange(try await server.codeBody()).status == 200)
            let body = try await server.codeBody()
            server.gate.shut()
            try? await Wire.connect(to: server.publicPort) { wire in
                try await wire.send(TestServer.request("POST /v1/exchange HTTP/1.1", body: body.text))
                await server.gate.isReached()
                try await wire.reset()
            }
            server.gate.open()
            #expect(try await server.post("/v1/nonce", Bodies.nonce).status == 200)
            // EX-19: the first attempt went on as a whole.
            try expectRefusal(try await server.exchange(body), "replayed")
        }
    }

    @Test("HT-14: two lengths, or a length beside chunks, are not read")
    func smuggled() async throws {
        try await TestServer.open { server in
            for lengths in [
                ["Content-Length: 2", "Content-Length: 40"], ["Content-Length: 2", "Transfer-Encoding: chunked"],
                ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], ["Content-Length: +2"],
                ["Content-Length: -1"], ["Transfer-Encoding: xchunked"],
            ] {
                let request = Self.slow + lengths.joined(separator: "\r\n") + "\r\n\r\n{}" + TestServer.request()
                let bytes = try await Wire.connect(to: server.publicPort) { wire in
                    try await wire.send(request)
                    wire.finish()
                    return await wire.rest()
                }
                let text = String(decoding: bytes, as: UTF8.self)
                #expect(!text.contains("nonce_verifier"), "\(lengths)")
            }
        }
    }

    @Test("HT-16: fields for ranges and conditions have no effect")
    func conditional() async throws {
        try await TestServer.open { server in
            for field in ["Range: bytes=0-1", "If-None-Match: *", "If-Modified-Since: Tue, 14 Nov 2023 22:13:20 GMT"] {
                for request in [
                    TestServer.request(header: ["Content-Type: application/json", field]),
                    TestServer.request("GET /openapi.json HTTP/1.1", header: [field], body: ""),
                ] {
                    let response = try #require(try await server.raw(request))
                    #expect(response.status == 200)
                    #expect(response[field: "ETag"] == nil)
                    #expect(response[field: "Accept-Ranges"] == nil)
                    expectSafeHeader(response)
                }
            }
            let response = try await server.raw(
                TestServer.request(header: ["Content-Type: application/json", "If-Match: \"a\""]))
            #expect(response?.status == 200)
        }
    }

    @Test("HT-19: the connection of a message that is not HTTP/1.1 is closed", arguments: ForeignProtocol.allCases)
    func garbage(of other: ForeignProtocol) async throws {
        try await TestServer.open { server in
            let bytes = try await Wire.connect(to: server.publicPort) { wire in
                try await wire.send(other.opening)
                wire.finish()
                return await wire.rest()
            }
            let response = String(decoding: bytes, as: UTF8.self)
            #expect(response.isEmpty || response.hasPrefix("HTTP/1.1 400"), "\(response)")
            #expect(try await server.post("/v1/nonce", Bodies.nonce).status == 200)
        }
    }

    @Test(
        "HT-22: a request to upgrade is ignored",
        arguments: [
            ["Upgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13"],
            ["Upgrade: h2c", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"],
        ])
    func upgrade(offer: [String]) async throws {
        try await TestServer.open { server in
            let header = ["Content-Type: application/json", "Connection: Upgrade, HTTP2-Settings"] + offer
            let response = try await server.raw(TestServer.request(header: header))
            #expect(response?.status == 200)
            #expect(response?[field: "Upgrade"] == nil)
        }
    }
}

/// The first bytes of clients that expect another protocol.
enum ForeignProtocol: CaseIterable {
    case http2, tls, ssh, zeros, noise, lines

    var opening: [UInt8] {
        switch self {
        case .http2: Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]
        case .tls: [0x16, 3, 1, 0, 5, 1, 0, 0, 1, 3] + [UInt8](repeating: 3, count: 200)
        case .ssh: Array("SSH-2.0-OpenSSH_9.6\r\n".utf8)
        case .zeros: [UInt8](repeating: 0, count: 4096)
        case .noise: (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 31 &+ 7) }
        case .lines: [UInt8](repeating: 10, count: 4096) + Array("a\r\n\r\n".utf8)
        }
    }
}
