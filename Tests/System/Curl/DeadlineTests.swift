import Curl
import Glibc
import Testing
import Transport

@Suite("Deadlines", .timeLimit(.minutes(5)))
struct DeadlineTests {
    static let late = TransportError.timedOut(host: "127.0.0.1", requestSent: true)

    @Test("UP-06: A call to a peer that never responds ends at its deadline")
    func noAnswer() async throws {
        let server = try LoopbackServer { connection in
            _ = connection.nextRequest()
            connection.awaitEnd()
        }
        defer { server.stop() }
        let curl = try CurlTransport()
        await #expect(throws: Self.late) { try await curl.get(server.url(), timeout: .seconds(2)) }
        #expect(server.requests.count == 1)
    }

    @Test(
        "UP-06, JW-10: A call to a peer that stalls within its response ends at its deadline",
        arguments: [3, 20, 38, 42, 44])
    func stall(_ length: Int) async throws {
        let whole = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{\"a\":1}"
        let server = try LoopbackServer { connection in
            guard let length = connection.nextRequest().flatMap({ Int($0.path.dropFirst()) }) else { return }
            connection.send(Array(whole.utf8.prefix(length)))
            connection.awaitEnd()
        }
        defer { server.stop() }
        let curl = try CurlTransport()
        await #expect(throws: Self.late) { try await curl.get(server.url("/\(length)"), timeout: .seconds(2)) }
    }

    @Test("A TLS handshake that stalls ends at the limit of the connection, and no request was sent")
    func handshake() async throws {
        let server = try LoopbackServer { $0.awaitEnd() }
        defer { server.stop() }
        let curl = try CurlTransport.with { $0.connectTimeout = { _ in .milliseconds(100) } }
        let error = TransportError.timedOut(
            host: "127.0.0.1", requestSent: false, connectingTo: "\(server.port)")
        await #expect(throws: error) {
            try await curl.get("https://127.0.0.1:\(server.port)/", timeout: .seconds(600))
        }
    }

    @Test("The limit of the connection never exceeds the timeout of the call")
    func shortHandshake() async throws {
        let server = try LoopbackServer { $0.awaitEnd() }
        defer { server.stop() }
        let curl = try CurlTransport.with { $0.connectTimeout = { _ in .seconds(600) } }
        let error = TransportError.timedOut(
            host: "127.0.0.1", requestSent: false, connectingTo: "\(server.port)")
        await #expect(throws: error) {
            try await curl.get("https://127.0.0.1:\(server.port)/", timeout: .milliseconds(100))
        }
    }

    @Test("A connection gets half of the time of its call, and at least two seconds")
    func share() {
        let limit = CurlConfiguration().connectTimeout
        #expect(limit(.seconds(10)) == .seconds(5) && limit(.seconds(3)) == .seconds(2))
    }

    @Test("A port without a listener is unreachable at once")
    func refused() async throws {
        let port = try Sockets.unusedPort()
        let curl = try CurlTransport()
        await #expect(throws: TransportError.unreachable(host: "127.0.0.1", port: "\(port)", number: ECONNREFUSED)) {
            try await curl.post("http://127.0.0.1:\(port)/")
        }
    }

    @Test("A name that does not resolve is distinguished from a connection that is not made")
    func unknownName() async throws {
        let curl = try CurlTransport()
        // No name server is asked about a label of more than 63 octets (RFC 1035 §2.3.4).
        let host = String(repeating: "a", count: 64) + ".invalid"
        let error = TransportError.unreachable(host: host, isUnknown: true)
        await #expect(throws: error) { try await curl.get("https://\(host)/") }
        #expect(error.sentence == "the name \(host) does not resolve")
        #expect(TransportError.unreachable(host: "h").sentence == "no connection to h could be made")
        let refused = TransportError.unreachable(host: "h", port: "443")
        #expect(refused.sentence == "no connection to port 443 of h could be made" && refused.advice == error.advice)
        let late = TransportError.timedOut(host: "h", requestSent: false)
        #expect(
            late.sentence
                == "no request to h could be sent in time: its name did not resolve, no connection to it was ready, too many "
                + "calls to it waited, or no time was left for it")
        let connecting = TransportError.timedOut(host: "h", requestSent: false, connectingTo: "443")
        #expect(connecting.sentence == "the address of h is known, and no connection to its port 443 was ready in time")
        #expect(late.advice == error.advice && connecting.advice == error.advice)
        #expect(late.advice?.contains("firewall") == true && late.advice?.contains("below endpoints") == true)
    }

    @Test("The reason of the system stands in the text about a connection, and decides the advice")
    func reasonOfTheSystem() throws {
        let advice = try #require(TransportError.unreachable(host: "h").advice)
        let refused = TransportError.unreachable(host: "h", port: "443", number: ECONNREFUSED)
        #expect(refused.sentence == "no connection to port 443 of h could be made (Connection refused)")
        #expect(
            refused.advice
                == "At that address nothing listens at the port, or a firewall refuses the connection. \(advice)")
        let unrouted = TransportError.unreachable(host: "h", port: "443", number: ENETUNREACH)
        #expect(unrouted.sentence == "no connection to port 443 of h could be made (Network is unreachable)")
        #expect(
            unrouted.advice
                == "This machine has no route to an address of the host, or a firewall or router says so. getent ahosts h shows the "
                + "addresses: if they are all of IPv6, this machine or container needs IPv6, or the host an IPv4 address. \(advice)"
        )
        #expect(TransportError.unreachable(host: "h", number: EHOSTUNREACH).advice == unrouted.advice)
        #expect(TransportError.unreachable(host: "h", number: EMFILE).advice == advice)
    }

    @Test("A call without time left ends without a connection", arguments: [Duration.zero, .seconds(-1)])
    func noTime(_ timeout: Duration) async throws {
        let server = try LoopbackServer { $0.awaitEnd() }
        defer { server.stop() }
        let curl = try CurlTransport()
        await #expect(throws: TransportError.timedOut(host: "127.0.0.1", requestSent: false)) {
            try await curl.get(server.url(), timeout: timeout)
        }
        #expect(server.accepted == 0)
    }

    @Test("Other calls proceed while one waits for its deadline")
    func independence() async throws {
        let gate = Gate()
        let slow = try LoopbackServer { connection in
            _ = connection.nextRequest()
            gate.pass()
            connection.answer("late")
        }
        let quick = try LoopbackServer { connection in
            while connection.nextRequest() != nil { connection.answer("quick") }
        }
        defer {
            slow.stop()
            quick.stop()
        }
        let curl = try CurlTransport.with { $0.activePerOrigin = 1 }
        async let late = curl.get(slow.url())
        await slow.reaches { $0.requests == 1 }
        for _ in 1...10 { #expect(try await curl.get(quick.url()).text == "quick") }
        gate.open()
        #expect(try await late.text == "late")
    }
}
