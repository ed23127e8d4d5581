import Curl
import Testing
import Transport

@Suite("Parallel calls", .timeLimit(.minutes(5)))
struct ParallelTests {
    /// The path, authorization and body of the request, which are unique to each caller.
    private static func echo(_ request: LoopbackRequest) -> String {
        "\(request.path)|\(request[field: "Authorization"] ?? "")|\(String(decoding: request.body, as: UTF8.self))"
    }

    private static func callAll(_ count: Int, over curl: CurlTransport, to server: LoopbackServer) async throws {
        try await withThrowingTaskGroup { group in
            for number in 0..<count {
                group.addTask {
                    let isPost = number.isMultiple(of: 2)
                    let response = try await curl.transport.send(
                        OutboundRequest(
                            isPost ? .post : .get, server.url("/\(number)"),
                            header: number.isMultiple(of: 3) ? [] : [HeaderField("Authorization", "Bearer \(number)")],
                            body: isPost ? Array("code=\(number)".utf8) : [], timeout: .seconds(30)))
                    let authorization = number.isMultiple(of: 3) ? "" : "Bearer \(number)"
                    #expect(response.text == "/\(number)|\(authorization)|\(isPost ? "code=\(number)" : "")")
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("UP-10: Each of 200 concurrent calls gets its own response")
    func allAtOnce() async throws {
        let gate = Gate()
        let server = try LoopbackServer { connection in
            while let request = connection.nextRequest() {
                gate.pass()
                connection.answer(Self.echo(request))
            }
        }
        defer { server.stop() }
        let curl = try CurlTransport.with { $0.activePerOrigin = 200 }
        async let calls: Void = Self.callAll(200, over: curl, to: server)
        await server.reaches { $0.requests == 200 }
        gate.open()
        try await calls
        #expect(server.accepted == 200)
    }

    @Test("UP-10: Each of 200 calls over 32 connections gets its own response, and connections are reused")
    func inLine() async throws {
        let server = try LoopbackServer { connection in
            while let request = connection.nextRequest() { connection.answer(Self.echo(request)) }
        }
        defer { server.stop() }
        let curl = try CurlTransport.with { $0.activePerOrigin = 32 }
        for _ in 1...5 { try await Self.callAll(200, over: curl, to: server) }
        #expect(server.requests.count == 1000)
        #expect(server.accepted <= 32)
    }

    @Test("Sequential calls use one connection")
    func reuse() async throws {
        let server = try LoopbackServer { connection in
            while let request = connection.nextRequest() { connection.answer(Self.echo(request)) }
        }
        defer { server.stop() }
        let curl = try CurlTransport()
        for _ in 1...10 {
            _ = try await curl.get(server.url())
            _ = try await curl.post(server.url(), "a=b")
        }
        #expect(server.requests.count == 20)
        #expect(server.accepted == 1)
    }

    @Test("A call to a full queue fails at once, and the others get their responses")
    func overflow() async throws {
        let gate = Gate()
        let server = try LoopbackServer(answeringAfter: gate)
        defer { server.stop() }
        let curl = try CurlTransport.with {
            $0.activePerOrigin = 1
            $0.waitingPerQueue = 2
        }
        async let first = curl.get(server.url("/first"))
        await server.reaches { $0.requests == 1 }
        await withTaskGroup { group in
            for _ in 1...5 {
                group.addTask { () async -> TransportError? in
                    do throws(TransportError) {
                        _ = try await curl.get(server.url("/further"))
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            for _ in 1...3 {
                #expect(await group.next() == .overloaded(host: "127.0.0.1"))
            }
            gate.open()
            for _ in 1...2 {
                #expect(await group.next() == .some(nil))
            }
        }
        #expect(try await first.status == 200)
        #expect(server.requests.count == 3)
        #expect(server.accepted == 1)
    }

    @Test("A call whose deadline passes while it is queued ends unsent")
    func expiryInLine() async throws {
        let gate = Gate()
        let server = try LoopbackServer(answeringAfter: gate)
        defer { server.stop() }
        let curl = try CurlTransport.with { $0.activePerOrigin = 1 }
        async let first = curl.get(server.url("/first"))
        await server.reaches { $0.requests == 1 }
        await #expect(throws: TransportError.timedOut(host: "127.0.0.1", requestSent: false)) {
            try await curl.get(server.url("/second"), timeout: .milliseconds(100))
        }
        gate.open()
        #expect(try await first.status == 200)
        #expect(try await curl.get(server.url("/third")).status == 200)
        #expect(server.requests.map(\.path) == ["/first", "/third"])
    }
}
