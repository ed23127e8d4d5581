import Curl
import Testing
import Transport

@Suite("Repetition", .timeLimit(.minutes(5)))
struct RepetitionTests {
    /// The way in which a peer ends a connection after it has read the whole request.
    enum Death: CaseIterable {
        case finish
        case reset
    }

    /// A server that responds to the first request of a connection and ends the connection at `/again`, `times` times.
    private func server(dying times: Int, by death: Death) throws -> LoopbackServer {
        try LoopbackServer { connection in
            guard let first = connection.nextRequest() else { return }
            if first.path == "/again", times > 1 {
                if death == .reset { connection.reset() }
                return
            }
            connection.answer(first.path)
            guard let second = connection.nextRequest() else { return }
            if second.path == "/again" {
                if death == .reset { connection.reset() }
                return
            }
            connection.answer(second.path)
            while let next = connection.nextRequest() { connection.answer(next.path) }
        }
    }

    @Test(
        "UP-11: A POST on a reused connection that ends without a response is sent once, and fails",
        arguments: ["", "grant_type=authorization_code&code=c"], Death.allCases)
    func post(_ body: String, _ death: Death) async throws {
        let server = try server(dying: 1, by: death)
        defer { server.stop() }
        let curl = try CurlTransport()
        _ = try await curl.get(server.url("/first"))
        await #expect(throws: TransportError.interrupted(host: "127.0.0.1")) {
            try await curl.post(server.url("/again"), body)
        }
        // Any request that libcurl repeats would arrive before the end of this one.
        #expect(try await curl.post(server.url("/last")).text == "/last")
        #expect(server.requests.map(\.path) == ["/first", "/again", "/last"])
    }

    @Test("UP-11: A large POST that was sent in part is not repeated", arguments: Death.allCases)
    func largePost(_ death: Death) async throws {
        let server = try LoopbackServer { connection in
            guard let first = connection.nextRequest() else { return }
            connection.answer(first.path)
            guard first.path == "/first", connection.readHead() == "/again" else { return }
            if death == .reset { connection.reset() }
        }
        defer { server.stop() }
        let curl = try CurlTransport()
        _ = try await curl.get(server.url("/first"))
        await #expect(throws: TransportError.interrupted(host: "127.0.0.1")) {
            try await curl.post(server.url("/again"), String(repeating: "x", count: 8 << 20))
        }
        #expect(try await curl.post(server.url("/last")).text == "/last")
        #expect(server.requests.map(\.path) == ["/first", "/last"])
    }

    @Test(
        "UP-11: A GET on a reused connection that ends without a response is repeated once, on a new connection",
        arguments: Death.allCases)
    func get(_ death: Death) async throws {
        let server = try server(dying: 1, by: death)
        defer { server.stop() }
        let curl = try CurlTransport()
        _ = try await curl.get(server.url("/first"))
        #expect(try await curl.get(server.url("/again")).text == "/again")
        #expect(server.requests.map(\.path) == ["/first", "/again", "/again"])
    }

    @Test("UP-11: A GET is repeated once, not twice", arguments: Death.allCases)
    func getTwice(_ death: Death) async throws {
        let server = try server(dying: 2, by: death)
        defer { server.stop() }
        let curl = try CurlTransport()
        _ = try await curl.get(server.url("/first"))
        await #expect(throws: TransportError.interrupted(host: "127.0.0.1")) {
            try await curl.get(server.url("/again"))
        }
        #expect(try await curl.get(server.url("/last")).text == "/last")
        #expect(server.requests.map(\.path) == ["/first", "/again", "/again", "/last"])
    }

    @Test("UP-11: With several dead connections in the pool, a GET uses at most one of them")
    func severalDead() async throws {
        let gate = Gate()
        let server = try LoopbackServer { connection in
            guard let first = connection.nextRequest() else { return }
            if first.path == "/first" { gate.pass() }
            connection.answer(first.path)
            // The connection ends at its second request, whatever its path.
            _ = connection.nextRequest()
        }
        defer { server.stop() }
        let curl = try CurlTransport()
        try await withThrowingTaskGroup { group in
            for _ in 1...4 { group.addTask { _ = try await curl.get(server.url("/first")) } }
            await server.reaches { $0.requests == 4 }
            gate.open()
            try await group.waitForAll()
        }
        #expect(try await curl.get(server.url("/again")).text == "/again")
        #expect(server.requests.map(\.path).filter { $0 == "/again" }.count == 2)
    }

    @Test("A GET whose response had begun is not repeated")
    func begun() async throws {
        let server = try LoopbackServer { connection in
            guard connection.nextRequest() != nil else { return }
            connection.answer("first")
            guard connection.nextRequest() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nx")
        }
        defer { server.stop() }
        let curl = try CurlTransport()
        _ = try await curl.get(server.url("/first"))
        await #expect(throws: TransportError.interrupted(host: "127.0.0.1")) {
            try await curl.get(server.url("/begun"))
        }
        #expect(server.requests.map(\.path) == ["/first", "/begun"])
    }

    @Test("A connection that the peer closed between two calls is detected, and the POST uses another one")
    func closedBetween() async throws {
        let server = try LoopbackServer { connection in
            guard connection.nextRequest() != nil else { return }
            connection.answer("once")
            connection.finish()
        }
        defer { server.stop() }
        let curl = try CurlTransport()
        for round in 1...5 {
            #expect(try await curl.post(server.url(), "code=\(round)").text == "once")
            await server.reaches { $0.open == 0 }
        }
        #expect(server.requests.count == 5)
        #expect(server.accepted == 5)
    }
}
