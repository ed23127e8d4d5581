import Curl
import Testing
import Transport

@Suite("Cancellation and shutdown", .timeLimit(.minutes(5)))
struct CancellationTests {
    /// The error of a call, or `nil` for a response.
    private static func outcome(_ curl: CurlTransport, _ url: String) async -> TransportError? {
        do throws(TransportError) {
            _ = try await curl.get(url)
            return nil
        } catch {
            return error
        }
    }

    @Test("A task that is cancelled before its call sends nothing")
    func before() async throws {
        let server = try LoopbackServer { $0.awaitEnd() }
        defer { server.stop() }
        let curl = try CurlTransport()
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await Self.outcome(curl, server.url())
        }
        #expect(await task.value == .cancelled(requestSent: false))
        #expect(server.accepted == 0)
    }

    @Test("Cancelling the task of a running call ends the call and its connection")
    func underWay() async throws {
        let server = try LoopbackServer { connection in
            _ = connection.nextRequest()
            connection.awaitEnd()
        }
        defer { server.stop() }
        let curl = try CurlTransport()
        let task = Task { await Self.outcome(curl, server.url()) }
        await server.reaches { $0.requests == 1 }
        task.cancel()
        #expect(await task.value == .cancelled(requestSent: true))
        await server.reaches { $0.open == 0 }
    }

    @Test("Cancelling the task of a queued call ends the call and frees its place in the queue")
    func inLine() async throws {
        let gate = Gate()
        let server = try LoopbackServer(answeringAfter: gate)
        defer { server.stop() }
        let curl = try CurlTransport.with {
            $0.activePerOrigin = 1
            $0.waitingPerQueue = 1
        }
        async let first = Self.outcome(curl, server.url("/first"))
        await server.reaches { $0.requests == 1 }
        // The queue may hold a probe, which makes the call fail as overloaded. It is then repeated.
        let second = Task {
            var outcome = await Self.outcome(curl, server.url("/second"))
            while outcome == .overloaded(host: "127.0.0.1") {
                outcome = await Self.outcome(curl, server.url("/second"))
            }
            return outcome
        }
        // The second call is queued as soon as a probe finds the queue full.
        var isFull = false
        for _ in 0..<5_000 where !isFull {
            isFull = await Self.probe(curl, server.url("/probe")) == .overloaded(host: "127.0.0.1")
        }
        try #require(isFull)
        second.cancel()
        #expect(await second.value == .cancelled(requestSent: false))
        async let third = Self.outcome(curl, server.url("/third"))
        gate.open()
        #expect(await first == nil)
        #expect(await third == nil)
        #expect(server.requests.map(\.path) == ["/first", "/third"])
    }

    /// A call that occupies its place in the queue for at most a millisecond.
    private static func probe(_ curl: CurlTransport, _ url: String) async -> TransportError? {
        do throws(TransportError) {
            _ = try await curl.get(url, timeout: .milliseconds(1))
            return nil
        } catch {
            return error
        }
    }

    @Test("If many of 1,000 calls are cancelled, each call ends once, and the transport works afterwards")
    func storm() async throws {
        let server = try LoopbackServer { connection in
            while connection.nextRequest() != nil { connection.answer() }
        }
        defer { server.stop() }
        let curl = try CurlTransport.with { $0.waitingPerQueue = 2000 }
        let outcomes = await withTaskGroup { group in
            for number in 0..<1000 {
                group.addTask {
                    let call = Task { await Self.outcome(curl, server.url()) }
                    for _ in 0..<(number % 7) { await Task.yield() }
                    if !number.isMultiple(of: 3) { call.cancel() }
                    return await call.value
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count == 1000)
        #expect(
            outcomes.allSatisfy {
                [nil, .cancelled(requestSent: true), .cancelled(requestSent: false)].contains($0)
            })
        #expect(outcomes.filter { $0 == nil }.count >= 334)
        #expect(try await curl.get(server.url()).status == 200)
    }

    @Test("A shutdown ends running and queued calls, closes the connections, and refuses later calls")
    func shutdown() async throws {
        let server = try LoopbackServer { connection in
            _ = connection.nextRequest()
            connection.awaitEnd()
        }
        defer { server.stop() }
        let curl = try CurlTransport.with { $0.activePerOrigin = 1 }
        async let first = Self.outcome(curl, server.url())
        await server.reaches { $0.requests == 1 }
        async let second = Self.outcome(curl, server.url())
        await curl.shutdown()
        await server.reaches { $0.open == 0 }
        #expect(await first == .cancelled(requestSent: true))
        #expect(await second == .cancelled(requestSent: false))
        #expect(await Self.outcome(curl, server.url()) == .cancelled(requestSent: false))
        await curl.shutdown()
        #expect(server.requests.count == 1)
    }

    @Test("A transport closes its connections when it is released")
    func release() async throws {
        let server = try LoopbackServer { connection in
            while connection.nextRequest() != nil { connection.answer() }
        }
        defer { server.stop() }
        do {
            let transport = try CurlTransport().transport
            #expect(try await transport.send(OutboundRequest(.get, server.url())).status == 200)
        }
        await server.reaches { $0.open == 0 }
    }
}
