extension Catalogue {
    static let slowSenders = Section(.http, .high, needs: [.bulk, .patience]).attacks(
        .attack(
            "HT-03a",
            "Fifty connections each send the header of a POST and then one byte of its body every two seconds.",
            oracle: "A deadline over the whole body, of 15 s, ends each of them; others are served meanwhile.",
            source: "Slowloris (RUDY); Hummingbird's idle timer restarts with every part"
        ) { strike in
            let head =
                "POST /v1/nonce HTTP/1.1\r\nHost: \(strike.lab.server.host)\r\n"
                + "Content-Type: application/json\r\nContent-Length: 1000\r\n"
            let open = [UInt8]((head + "\r\n").utf8)
            // RFC 9110 §10.1.1: a body that is announced and never comes has the same deadline.
            let announced = [UInt8]((head + "Expect: 100-continue\r\n\r\n").utf8)
            let dripping = Drip(openings: Array(repeating: open, count: 48) + [announced, announced])
            async let left = dripping.survivors(
                of: strike, byte: UInt8(ascii: " "), interval: .seconds(2), within: .seconds(19))
            try await Task.sleep(for: .seconds(3))
            await strike.expectServed(within: .seconds(5), while: "fifty bodies drip")
            let count = await left
            await strike.expect(count == 0, .slow, "\(count) of 50 slow bodies were still waited for after 19 s.")
        },
        .attack(
            "HT-03b",
            "Connections send their header one byte at a time, or nothing at all, or fall silent after an answer.",
            oracle: "Each is closed 30 s after it was opened or last answered; others are served meanwhile.",
            source: "Slowloris; Hummingbird's idle timeout is off by default"
        ) { strike in
            let head = Array("GET /.well-known/oauth-authorization-server HTTP/1.1\r\nX-A: ".utf8)
            let openings: [[UInt8]] =
                Array(repeating: head, count: 30) + Array(repeating: [], count: 10)
            async let dripping = Drip(openings: openings).survivors(
                of: strike, byte: UInt8(ascii: "a"), interval: .seconds(3), within: .seconds(35))
            async let silent = Drip(openings: Array(repeating: [], count: 20)).survivors(
                of: strike, byte: nil, interval: .seconds(3), within: .seconds(35))
            async let answered = Drip(openings: Array(repeating: strike.metadataBytes, count: 20)).survivors(
                of: strike, byte: nil, interval: .seconds(3), within: .seconds(35))
            try await Task.sleep(for: .seconds(3))
            await strike.expectServed(within: .seconds(5), while: "eighty connections wait")
            for (what, count) in [
                ("slow headers", await dripping), ("silent connections", await silent),
                ("answered connections", await answered),
            ] {
                await strike.expect(count == 0, .slow, "\(count) \(what) were still open after 35 s.")
            }
        },
    )
}

/// Many connections at once that send next to nothing.
private struct Drip: Sendable {
    let openings: [[UInt8]]

    /// How many the server has not closed in time.
    ///
    /// - `byte`: sent at each interval; nil for silence.
    func survivors(of strike: Strike, byte: UInt8?, interval: Duration, within limit: Duration) async -> Int {
        let end = ContinuousClock.now + limit
        return await withTaskGroup(of: Bool.self) { group in
            for opening in openings {
                group.addTask {
                    guard
                        let connection = try? await strike.connect(within: .seconds(10))
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
