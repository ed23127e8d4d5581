extension Catalogue {
    static let connections = Section(.http, .medium, needs: [.bulk]).attacks(
        .attack(
            "HT-14a", "Two hundred requests are sent on one connection before any response is read.",
            oracle: "The server sends one response per request, in the order of the requests.", source: "RFC 9112 9.3.2"
        ) { context in
            let wire = context.lab.server
            let connection = try await context.connect(to: wire, within: .seconds(5))
            var bytes: [UInt8] = []
            for number in 0..<100 {
                bytes += context.metadataBytes
                let target = number % 2 == 0 ? "/nothing" : "/v1/nonce"
                bytes += Array("GET \(target) HTTP/1.1\r\nHost: \(wire.host)\r\n\r\n".utf8)
            }
            try await connection.send(bytes)
            var identifiers: Set<String> = []
            for number in 0..<200 {
                let reply = await connection.answer(to: "GET", within: .seconds(10))
                let expected = number % 2 == 0 ? 200 : number % 4 == 1 ? 404 : 405
                await context.expectAnswer(reply, [expected], to: "Pipelined request \(number)")
                guard let answer = reply.answer else { break }
                if let identifier = answer.field("x-request-id") { identifiers.insert(identifier) }
            }
            await context.expect(
                identifiers.count == 200, .wrongAnswer, "The responses do not have 200 different request ids.")
        },
        .attack(
            "HT-14b", "The client closes its sending side before it reads the response.", severity: .low,
            oracle: "The server responds to the complete request.", source: "RFC 9112 9.6", needs: []
        ) { context in
            let connection = try await context.connect(within: .seconds(5))
            try await connection.send(context.nonceRequest.bytes(host: context.lab.server.host))
            await connection.finishSending()
            await context.expectAnswer(
                await connection.answer(to: "POST", within: .seconds(5)), [200], to: "A half-closed request")
            let half = try await context.connect(within: .seconds(5))
            try await half.send(Array("POST /v1/nonce HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{".utf8))
            await half.finishSending()
            await context.expectAnswer(
                await half.answer(to: "POST", within: .seconds(5)), [400, 415], to: "Half a body", mayClose: true)
        },
        .attack(
            "HT-14c", "Two hundred connections are closed during the request or the response.",
            oracle: "The server keeps serving.", source: "practice"
        ) { context in
            let wire = context.lab.server
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let connection = try? await context.connect(to: wire, within: .seconds(10))
                        let bytes =
                            number % 2 == 0 ? context.metadataBytes : context.nonceRequest.bytes(host: wire.host)
                        try? await connection?.send(Array(bytes.prefix(number % 4 < 2 ? bytes.count : bytes.count - 5)))
                    }
                }
            }
            await context.expectServed(while: "connections drop")
        },
        .attack(
            "HT-14d", "A second request is sent after one with `Connection: close`.",
            oracle: "The server sends one response and closes the connection.", source: "RFC 9112 9.6", needs: []
        ) { context in
            let wire = context.lab.server
            let connection = try await context.connect(to: wire, within: .seconds(5))
            let first = Request.get("/.well-known/oauth-authorization-server").bytes(host: wire.host)
            try await connection.send(first + context.metadataBytes)
            await context.expectAnswer(
                await connection.answer(to: "GET", within: .seconds(5)), [200], to: "The last request")
            if case .answer = await connection.answer(to: "GET", within: .seconds(3)) {
                await context.found(.wrongAnswer, "The server responded to a request after `Connection: close`.")
            }
        },
        .sweep(
            "HT-15", "`Expect` has an unknown value.", severity: .low,
            oracle: "The server responds with 417 or 400, or ignores the field; the request does not hang.",
            source: "RFC 9110 10.1.1", needs: [],
            over: ["x", "200-ok", "100-continue, x", ""]
        ) { context, value in
            await context.fire(
                context.nonceRequest.with("Expect", value), expecting: .status(200, 400, 417).orClosed,
                within: .seconds(3))
        },
        .attack(
            "HT-18", "Four hundred connections are opened and kept open.", severity: .high,
            oracle: "The server serves other connections as before.", source: "Hummingbird's available connections"
        ) { context in
            let wire = context.lab.server
            var idle: [WireConnection] = []
            for number in 0..<400 {
                guard let connection = try? await context.connect(to: wire, within: .seconds(5))
                else { continue }
                if number % 2 == 0 { try? await connection.send(context.metadataBytes) }
                idle.append(connection)
            }
            await context.expectServed(while: "\(idle.count) connections are open")
            await context.expect(idle.count == 400, .dead, "Only \(idle.count) of 400 connections were accepted.")
        },
    )
}

extension Catalogue {
    static let slowSenders = Section(.http, .high, needs: [.bulk, .patience]).attacks(
        .attack(
            "HT-03a",
            "Fifty connections each send the header of a POST and then one byte of its body every two seconds.",
            oracle: "A deadline of 15 s for the whole body ends each connection; the server serves others meanwhile.",
            source: "Slowloris (RUDY); Hummingbird's idle timer restarts with every part"
        ) { context in
            let head =
                "POST /v1/nonce HTTP/1.1\r\nHost: \(context.lab.server.host)\r\n"
                + "Content-Type: application/json\r\nContent-Length: 1000\r\n"
            let open = [UInt8]((head + "\r\n").utf8)
            // RFC 9110 §10.1.1: a body that is announced and never sent has the same deadline.
            let announced = [UInt8]((head + "Expect: 100-continue\r\n\r\n").utf8)
            let dripping = Drip(openings: Array(repeating: open, count: 48) + [announced, announced])
            async let left = dripping.survivors(
                of: context, byte: UInt8(ascii: " "), interval: .seconds(2), within: .seconds(19))
            try await Task.sleep(for: .seconds(3))
            await context.expectServed(while: "fifty bodies are sent slowly")
            let count = await left
            await context.expect(
                count == 0, .slow, "\(count) of 50 connections with slow bodies were still open after 19 s.")
        },
        .attack(
            "HT-03b",
            "Connections send their header byte by byte, or nothing at all, or nothing more after a response.",
            oracle: "The server closes each 30 s after its opening or last response; it serves others meanwhile.",
            source: "Slowloris; Hummingbird's idle timeout is off by default"
        ) { context in
            let head = Array("GET /.well-known/oauth-authorization-server HTTP/1.1\r\nX-A: ".utf8)
            let openings: [[UInt8]] =
                Array(repeating: head, count: 30) + Array(repeating: [], count: 10)
            async let dripping = Drip(openings: openings).survivors(
                of: context, byte: UInt8(ascii: "a"), interval: .seconds(3), within: .seconds(35))
            async let silent = Drip(openings: Array(repeating: [], count: 20)).survivors(
                of: context, byte: nil, interval: .seconds(3), within: .seconds(35))
            async let answered = Drip(openings: Array(repeating: context.metadataBytes, count: 20)).survivors(
                of: context, byte: nil, interval: .seconds(3), within: .seconds(35))
            try await Task.sleep(for: .seconds(3))
            await context.expectServed(while: "eighty connections wait")
            for (what, count) in [
                ("slow headers", await dripping), ("silent connections", await silent),
                ("answered connections", await answered),
            ] {
                await context.expect(count == 0, .slow, "\(count) \(what) were still open after 35 s.")
            }
        },
    )
}

/// Many concurrent connections that send almost nothing.
private struct Drip: Sendable {
    let openings: [[UInt8]]

    /// Returns the number of connections that the server has not closed within the limit.
    ///
    /// Each connection sends `byte` at each interval; if it is `nil`, it sends nothing.
    func survivors(of context: AttackContext, byte: UInt8?, interval: Duration, within limit: Duration) async -> Int {
        let end = ContinuousClock.now + limit
        return await withTaskGroup(of: Bool.self) { group in
            for opening in openings {
                group.addTask {
                    guard
                        let connection = try? await context.connect(within: .seconds(10))
                    else { return false }
                    if !opening.isEmpty { try? await connection.send(opening) }
                    while ContinuousClock.now < end {
                        if await connection.isClosed(within: interval) { return false }
                        if let byte, (try? await connection.send([byte])) == nil { return false }
                    }
                    return true
                }
            }
            var count = 0
            for await survives in group where survives { count += 1 }
            return count
        }
    }
}
