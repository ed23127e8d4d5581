extension Catalogue {
    /// Messages that a proxy before the server may read in another way than the server.
    static let hosts = Section(.http, .high, needs: []).attacks(
        .sweep(
            "HT-30", "A request names no host, two hosts, an empty one, or what is no host.",
            oracle: "400 and the end of the connection: no proxy and no server can differ about who was meant.",
            source: "RFC 9112 3.2; CWE-444", reveals: [.anyHost],
            over: ["", "Host: a\r\nHost: b\r\n", "Host: a\r\nhost: a\r\n", "Host: a b\r\n", "Host: \r\n"]
        ) { strike, fields in
            await strike.fireClosing("POST /v1/nonce HTTP/1.1\r\n" + fields)
        },
        .attack(
            "HT-31", "A request of HTTP/1.0 is chunked.",
            oracle: "400 and the end of the connection: HTTP/1.0 has no transfer codings.",
            source: "RFC 9112 6.1; CWE-444", needs: [.processes]
        ) { strike in
            try await strike.onOwnServer("old") { there, _, _ in
                for encoding in ["chunked", "identity, chunked", "gzip, chunked"] {
                    await there.fireClosing(
                        "POST /v1/nonce HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n", chunked: encoding)
                }
            }
        },
    )
}

extension Strike {
    /// Sends a good body behind this head, and a second request behind that, which must not be answered.
    ///
    /// - `encoding`: the transfer coding; nil for a body with a length.
    fileprivate func fireClosing(_ head: String, chunked encoding: String? = nil) async {
        let body = nonceText
        let framed =
            encoding.map { encoding in
                "Transfer-Encoding: \(encoding)\r\n\r\n\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
            } ?? "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        do {
            let connection = try await connect(within: .seconds(5))
            try await connection.send(
                Array((head + "Content-Type: application/json\r\n" + framed).utf8) + metadataBytes)
            await expectAnswer(
                await connection.answer(to: "POST", within: .seconds(5)), [400, 501], to: "A message with two readings",
                mayClose: true)
            // The connection to a server that was not started for this may be a proxy's.
            guard lab.offers.contains(.processes) else { return }
            if case .answer(let answer) = await connection.answer(to: "GET", within: .seconds(2)) {
                await expect(
                    answer.status != 200, .wrongAnswer, "The connection went on after a message with two readings.")
            }
        } catch {
            // The connection was not taken, or ended while it was sent to.
        }
    }
}
