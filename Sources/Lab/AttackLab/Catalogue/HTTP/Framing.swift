internal import OpenSSL

extension Catalogue {
    static let framing: [Attack] = [
        framing(
            "HT-23a", "Content-Length and chunked encoding are both given, in either order.",
            [
                "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
                "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
            ]),
        framing(
            "HT-23b", "Two lengths are given, equal or different, in two fields or in one.",
            [
                "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello1", "Content-Length: 5, 6\r\n\r\nhello1",
                "Content-Length: 5\r\ncontent-length: 0\r\n\r\nhello",
            ]),
        framing(
            "HT-23c", "The Content-Length is signed, hexadecimal, fractional, too large or empty.",
            [
                "Content-Length: +5\r\n\r\nhello", "Content-Length: -5\r\n\r\nhello",
                "Content-Length: 0x5\r\n\r\nhello",
                "Content-Length: 5.0\r\n\r\nhello", "Content-Length: 5 5\r\n\r\nhello",
                "Content-Length: 99999999999999999999\r\n\r\nhello", "Content-Length: \r\n\r\nhello",
                "Content-Length: five\r\n\r\nhello", "Content-Length: 5_0\r\n\r\nhello",
            ]),
        framing(
            "HT-23d", "Transfer codings are repeated, unknown, obfuscated or not last.",
            [
                "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
                "Transfer-Encoding: gzip\r\n\r\n0\r\n\r\n", "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
                "Transfer-Encoding:\u{0B}chunked\r\n\r\n0\r\n\r\n", "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n",
                "Transfer-Encoding: identity\r\nContent-Length: 5\r\n\r\nhello",
            ]),
        framing(
            "HT-23e",
            "Header fields are folded, have blanks before the colon, no name, no colon, or control characters.",
            [
                "X-A: b\r\n Content-Length: 5\r\n\r\nhello", "Content-Length : 5\r\n\r\nhello", ": a\r\n\r\n",
                "no colon\r\n\r\n", "X-\u{0}A: b\r\n\r\n", "X-A: b\u{0}c\r\n\r\n", " Content-Length: 5\r\n\r\nhello",
                "X(A): b\r\n\r\n", "Transfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n",
            ]),
        framing(
            "HT-23f", "Chunk sizes overflow, are signed or empty, or do not match the data.",
            [
                "FFFFFFFFFFFFFFFFF\r\n", "-1\r\n", "\r\n", "0x5\r\nhello\r\n0\r\n\r\n", "5\r\nhelloXX0\r\n\r\n",
                "5 \rhello\r\n0\r\n\r\n", "G\r\n", "+5\r\nhello\r\n0\r\n\r\n",
            ].map { "Transfer-Encoding: chunked\r\n\r\n" + $0 }),
        Attack(
            "HT-23g", .http, .high, "The attacker hides a request in the body of another.",
            oracle: "The server does not respond to the hidden request.", source: "CWE-444; RFC 9112 6.3, 11.2",
            needs: []
        ) { context in
            let hidden = "GET /.well-known/oauth-authorization-server HTTP/1.1\r\nHost: a\r\n\r\n"
            for head in [
                "Content-Length: \(hidden.utf8.count)\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n\(hidden)",
                "Content-Length: 0\r\nContent-Length: \(hidden.utf8.count)\r\n\r\n\(hidden)",
                "Content-Length: \(hidden.utf8.count)\r\n\r\n\(hidden)",
                "Transfer-Encoding: xchunked\r\nContent-Length: 0\r\n\r\n\(hidden)",
            ] {
                let connection = try await context.connect(within: .seconds(5))
                try await connection.send(
                    Array("POST /v1/nonce HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\(head)".utf8))
                await context.expectAnswer(
                    await connection.answer(to: "POST", within: .seconds(3)), [400, 415, 501],
                    to: "The outer request", mayClose: true)
                if case .answer(let answer) = await connection.answer(to: "GET", within: .milliseconds(300)) {
                    await context.expect(
                        answer.status != 200, .wrongAnswer, "The server responded to the request inside the body.")
                }
            }
        },
        Attack(
            "HT-23h", .http, .low,
            "Request lines have no version or an invalid one, extra blanks, or control characters.",
            oracle: "The server responds with 400 or closes the connection.", source: "RFC 9112 3", needs: []
        ) { context in
            for line in [
                "GET /token", "GET  /token HTTP/1.1", "GET /token HTTP/9.9", "GET /token HTTP/1.1 x",
                "GET /token FTP/1.1",
                "GET\t/token\tHTTP/1.1", "GET /to ken HTTP/1.1", " GET /token HTTP/1.1", "GET /token HTTP/1.",
                "GET /token http/1.1", "GET /tok\u{0}en HTTP/1.1", "\u{1}GET /token HTTP/1.1",
            ] {
                await context.fire(
                    .raw("\(line)\r\nHost: a\r\nConnection: close\r\n\r\n"),
                    expecting: .status(400, 404, 405, 505).orClosed, within: .seconds(3))
            }
        },
    ]

    private static func framing(_ id: String, _ sentence: String, _ texts: [String]) -> Attack {
        Attack(
            id, .http, .high, sentence,
            oracle: "The server responds with 400 and closes the connection, or refuses the request that it read.",
            source: "CWE-444; RFC 9112 6, 7, 11.2", needs: []
        ) { context in
            for text in texts {
                let head =
                    "POST /v1/nonce HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nConnection: close\r\n"
                await context.fire(
                    .raw(head + text, method: "POST"), expecting: .status(400, 413, 415, 501).orClosed,
                    within: .seconds(3))
            }
        }
    }
}

extension Catalogue {
    static let notHTTP = Section(.http, .low, needs: []).attacks(
        .attack(
            "HT-19",
            "Other protocols than HTTP/1.1 are sent: TLS, HTTP/2, SSH, SMTP, SOCKS, memcached, NULs, random bytes.",
            oracle: "The server responds with 400 or closes the connection, and reveals no internals.",
            source: "fuzzing"
        ) { context in
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
                let connection = try await context.connect(within: .seconds(5))
                try? await connection.send(message)
                await connection.finishSending()
                await context.expectAnswer(
                    await connection.answer(to: "GET", within: .seconds(3)), [400, 404, 405, 414, 431, 501, 505],
                    to: "Data that is not HTTP", mayClose: true)
            }
        },
        .sweep(
            "HT-22", "The client asks for an upgrade to HTTP/2, WebSocket or TLS.", severity: .medium,
            oracle: "The server ignores the upgrade or refuses the request, and never responds with 101.",
            source: "request smuggling by h2c; RFC 9113 3.1",
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
        ) { context, fields in
            var request = Request.get("/.well-known/oauth-authorization-server")
            request.fields = fields.map { (name: $0.0, value: $0.1) }
            await context.fire(request, expecting: .status(200, 400, 426))
        },
    )
}
