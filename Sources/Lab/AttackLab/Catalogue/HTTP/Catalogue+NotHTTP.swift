internal import OpenSSL

extension Catalogue {
    static let notHTTP = Section(.http, .low, needs: []).attacks(
        .attack(
            "HT-19", "What is not HTTP/1.1 is sent: TLS, HTTP/2, SSH, SMTP, SOCKS, memcached, NULs, random bytes.",
            oracle: "400, or a hang-up; nothing of the inside.", source: "fuzzing"
        ) { strike in
            let tls: [UInt8] = [0x16, 3, 1, 0, 0x20, 1, 0, 0, 0x1C, 3, 3] + Array(repeating: 0x42, count: 27)
            let socks: [UInt8] = [5, 1, 0, 4, 1, 0, 80, 127, 0, 0, 1, 0]
            var messages: [[UInt8]] = [
                tls, socks, Array(repeating: 0, count: 4096), Array(repeating: 0xFF, count: 4096), [10],
                [13, 10, 13, 10],
            ]
            for text in [
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u{0}\u{0}\u{0}\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}",
                "SSH-2.0-OpenSSH_9.9\r\n",
                "EHLO evil.example\r\n", "stats\r\n", "*1\r\n$4\r\nPING\r\n", "\r\n\r\n\r\nfoo\r\n\r\n",
                "HTTP/1.1 200 OK\r\n\r\n",
            ] {
                messages.append(Array(text.utf8))
            }
            for _ in 0..<8 { messages.append(try SecureRandom.bytes(2048)) }
            for message in messages {
                let connection = try await strike.connect(within: .seconds(5))
                try? await connection.send(message)
                await connection.finishSending()
                await strike.expectAnswer(
                    await connection.answer(to: "GET", within: .seconds(3)), [400, 404, 405, 414, 431, 501, 505],
                    to: "What is not HTTP", mayClose: true)
            }
        },
        .sweep(
            "HT-22", "The connection is to be made one of HTTP/2 or of WebSocket.", severity: .medium,
            oracle: "Ignored, or 400; never 101.", source: "request smuggling by h2c; RFC 9113 3.1",
            over: [
                [
                    ("Upgrade", "h2c"), ("Connection", "Upgrade, HTTP2-Settings"),
                    ("HTTP2-Settings", "AAMAAABkAAQAAP__"),
                ],
                [
                    ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"),
                    ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
                ], [("Upgrade", "TLS/1.0"), ("Connection", "Upgrade")],
            ]
        ) { strike, fields in
            var request = Request.get("/.well-known/oauth-authorization-server")
            request.fields = fields.map { (name: $0.0, value: $0.1) }
            await strike.fire(request, expecting: .status(200, 400, 426))
        },
    )
}
