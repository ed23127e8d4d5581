import Curl
import Testing
import Transport

/// Tests of calls that name a queue.
@Suite("Queues", .timeLimit(.minutes(5)))
struct QueueTests {
    private static func call(
        _ url: String, in queue: CallQueue, timeout: Duration = .seconds(30)
    ) -> OutboundRequest {
        OutboundRequest(.get, url, timeout: timeout).queued(in: queue)
    }

    /// A server that responds to paths under `/held` only once the gate is open.
    private static func server(_ gate: Gate) throws -> LoopbackServer {
        try LoopbackServer { connection in
            while let request = connection.nextRequest() {
                if request.path.hasPrefix("/held") { gate.pass() }
                connection.answer(request.path)
            }
        }
    }

    @Test("A queue runs as many calls concurrently as its limit, and the rest after them")
    func limit() async throws {
        let gate = Gate()
        let server = try Self.server(gate)
        defer { server.stop() }
        let curl = try CurlTransport()
        let queue = CallQueue("peer", "token", limit: 3)
        try await withThrowingTaskGroup { group in
            for number in 0..<10 {
                group.addTask { try await curl.transport.send(Self.call(server.url("/held/\(number)"), in: queue)) }
            }
            await server.reaches { $0.requests == 3 }
            gate.open()
            try await group.waitForAll()
        }
        #expect(server.requests.count == 10)
        #expect(server.accepted == 3)
    }

    @Test("By default, 100 concurrent calls run without waiting")
    func hundred() async throws {
        let gate = Gate()
        let server = try Self.server(gate)
        defer { server.stop() }
        let curl = try CurlTransport()
        let queue = CallQueue("peer", "token", limit: 256)
        try await withThrowingTaskGroup { group in
            for number in 0..<100 {
                group.addTask { try await curl.transport.send(Self.call(server.url("/held/\(number)"), in: queue)) }
            }
            await server.reaches { $0.requests == 100 }
            gate.open()
            try await group.waitForAll()
        }
    }

    @Test("Two queues to one origin, and a call without a queue, do not wait for each other")
    func independence() async throws {
        let gate = Gate()
        let server = try Self.server(gate)
        defer { server.stop() }
        let curl = try CurlTransport.with { $0.activePerOrigin = 1 }
        let (token, user) = (CallQueue("peer", "token", limit: 1), CallQueue("peer", "user", limit: 1))
        async let held = curl.transport.send(Self.call(server.url("/held"), in: user))
        await server.reaches { $0.requests == 1 }
        #expect(try await curl.transport.send(Self.call(server.url("/token"), in: token)).text == "/token")
        #expect(try await curl.get(server.url("/plain")).text == "/plain")
        gate.open()
        #expect(try await held.text == "/held")
    }

    @Test("A new limit after a reload applies to later calls")
    func newLimit() async throws {
        let gate = Gate()
        let server = try Self.server(gate)
        defer { server.stop() }
        let curl = try CurlTransport()
        async let first = curl.transport.send(
            Self.call(server.url("/held/1"), in: CallQueue("peer", "token", limit: 1)))
        await server.reaches { $0.requests == 1 }
        async let second = curl.transport.send(
            Self.call(server.url("/held/2"), in: CallQueue("peer", "token", limit: 2)))
        await server.reaches { $0.requests == 2 }
        gate.open()
        #expect(try await first.status == 200)
        #expect(try await second.status == 200)
    }

    @Test("A queued call with less time left than a usual response takes fails unsent")
    func notInTime() async throws {
        let (gate, further) = (Gate(), Gate())
        let server = try LoopbackServer { connection in
            while let request = connection.nextRequest() {
                if request.path == "/usual" { gate.pass() }
                if request.path == "/held" { further.pass() }
                connection.answer(request.path)
            }
        }
        defer { server.stop() }
        let curl = try CurlTransport.with { $0.waitingPerQueue = 1 }
        let queue = CallQueue("peer", "token", limit: 1)
        // The first response takes at least as long as the held call, so half a second is the usual time.
        async let usual = curl.transport.send(Self.call(server.url("/usual"), in: queue))
        await server.reaches { $0.requests == 1 }
        _ = await Self.failure(curl, OutboundRequest(.get, server.url("/held"), timeout: .milliseconds(500)))
        gate.open()
        #expect(try await usual.status == 200)

        async let held = curl.transport.send(Self.call(server.url("/held"), in: queue))
        await server.reaches { $0.requests == 3 }
        async let late = Self.failure(
            curl, Self.call(server.url("/late"), in: queue, timeout: .milliseconds(400)))
        // The call is queued as soon as a probe finds the queue full, or the time of the call is over.
        var isFull = false
        for _ in 0..<2_000 where !isFull {
            isFull =
                await Self.failure(curl, Self.call(server.url("/probe"), in: queue, timeout: .milliseconds(1)))
                == .overloaded(host: "127.0.0.1")
        }
        further.open()
        #expect(try await held.status == 200)
        let failure = await late
        #expect(
            failure == .overloaded(host: "127.0.0.1")
                || failure == .timedOut(host: "127.0.0.1", requestSent: false))
        // A call that does not have to wait is always sent: only a response shows that the peer has recovered.
        let after = try await curl.transport.send(Self.call(server.url("/after"), in: queue))
        #expect(after.status == 200)
        #expect(!server.requests.map(\.path).contains("/late"))
    }

    private static func failure(_ curl: CurlTransport, _ request: OutboundRequest) async -> TransportError? {
        do throws(TransportError) {
            _ = try await curl.transport.send(request)
            return nil
        } catch {
            return error
        }
    }
}
