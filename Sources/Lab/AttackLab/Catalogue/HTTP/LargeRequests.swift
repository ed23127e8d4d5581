extension Catalogue {
    static let largeBodies: [Attack] = [
        Attack(
            "HT-04a", .http, .high, "Bodies of slightly more than 64 KiB are posted to the endpoints of sign-in.",
            oracle: "The server responds with 413 body_too_large.", source: "Hummingbird's drain loop", needs: [],
            reveals: [.unboundedBody]
        ) { context in
            for target in ["/v1/exchange", "/v1/nonce", "/token"] {
                await context.fire(.large(target), expecting: .tooLarge)
            }
        },
        Attack(
            "HT-04b", .http, .high, "Bodies of slightly more than 64 KiB are posted to every other endpoint.",
            oracle: "The server responds with 413, or refuses the request without reading its body.",
            source: "Hummingbird's drain loop",
            needs: [.accounts, .pushedRequests, .deviceGrant, .anonymous]
        ) { context in
            for target in ["/v1/signin", "/v1/anonymous", "/par", "/device_authorization"] {
                await context.fire(.large(target), expecting: .tooLarge)
            }
            let account = ["link", "unlink", "reauthenticate", "merge", "signout"].map { "/v1/account/\($0)" }
            for target in account {
                await context.fire(.large(target), expecting: .status(401, 413))
            }
            for target in ["/authorize", "/device"] {
                await context.fire(.large(target, isForm: true), expecting: .status(400, 403, 413))
            }
        },
        Attack(
            "HT-04c", .http, .high, "A body of slightly more than 64 KiB is sent in chunks, without a length.",
            oracle: "The server responds with 413 body_too_large.", source: "Hummingbird's drain loop", needs: [],
            reveals: [.unboundedBody]
        ) { context in
            let chunk = String(repeating: "a", count: 0x1000)
            let body = String(repeating: "1000\r\n\(chunk)\r\n", count: 17) + "0\r\n\r\n"
            for (target, type) in [
                ("/v1/exchange", "application/json"), ("/v1/nonce", "application/json"),
                ("/token", "application/x-www-form-urlencoded"),
            ] {
                await context.fire(
                    .raw(
                        "POST \(target) HTTP/1.1\r\nHost: a\r\nContent-Type: \(type)\r\n"
                            + "Transfer-Encoding: chunked\r\n\r\n" + body, method: "POST"),
                    expecting: .tooLarge)
            }
        },
        Attack(
            "HT-04d", .http, .high, "A length of 10 GB is announced, and only a few bytes are sent.",
            oracle: "The server responds with 413 immediately, or closes the connection at the deadline for bodies.",
            source: "RFC 9110 15.5.14",
            needs: [.processes]
        ) { context in
            for (length, expect) in [
                ("10000000000", ""), ("10000000000", "Expect: 100-continue\r\n"), ("9223372036854775807", ""),
            ] {
                await context.fire(
                    .raw(
                        "POST /v1/nonce HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                            + "Content-Length: \(length)\r\n\(expect)\r\n" + #"{"client_id""#, method: "POST"),
                    expecting: .tooLarge.or(.status(400)), within: .seconds(3))
            }
        },
        flood(
            "HT-04e", "a POST endpoint that accepts 64 KiB",
            "POST /v1/nonce HTTP/1.1\r\nContent-Type: application/json\r\n"),
        flood("HT-04f", "a GET", "GET /.well-known/oauth-authorization-server HTTP/1.1\r\n"),
        flood("HT-04g", "an unknown path", "POST /nothing HTTP/1.1\r\n"),
        flood("HT-04h", "a callback", "GET /callback/yahoo.com?code=a&state=b HTTP/1.1\r\n"),
        Attack(
            "HT-04i", .http, .high, "A body is announced to a place that accepts none, and one byte of it is sent.",
            oracle: "The server responds, and closes the connection without waiting for the rest.",
            source: "Hummingbird's drain loop", needs: [], reveals: [.refusedBodyAwaited]
        ) { context in
            for (method, target, status) in [("POST", "/nothing", 404), ("PUT", "/v1/exchange", 405)] {
                let connection = try await context.connect(within: .seconds(5))
                let head = "\(method) \(target) HTTP/1.1\r\nHost: \(context.lab.server.host)\r\n"
                try await connection.send(
                    Array((head + "Content-Type: application/json\r\nContent-Length: 65536\r\n\r\n{").utf8))
                await context.expectAnswer(
                    await connection.answer(to: method, within: .seconds(5)), [status], to: "\(method) \(target)")
                await context.expect(
                    await connection.isClosed(within: .seconds(5)), .slow,
                    "The server waits for the body of \(method) \(target), which it has refused.")
            }
        },
    ]

    private static func flood(_ id: String, _ place: String, _ head: String) -> Attack {
        Attack(
            id, .http, .high, "A body of 64 MB is sent to \(place), with a length and in chunks.",
            oracle: "The server reads no more than fits in the socket buffers, and closes the connection.",
            source: "Hummingbird's drain loop", needs: [.bulk, .processes]
        ) { context in
            for framing in ["Content-Length: 67108864\r\n", "Transfer-Encoding: chunked\r\n"] {
                let wire = context.lab.server
                let connection = try await context.connect(to: wire, within: .seconds(5))
                try await connection.send(Array((head + "Host: \(wire.host)\r\n" + framing + "\r\n").utf8))
                let piece = Array(("10000\r\n" + String(repeating: "a", count: 0x10000) + "\r\n").utf8)
                var sent = 0
                while sent < 64 << 20, (try? await connection.send(piece, within: .seconds(4))) != nil {
                    sent += piece.count
                }
                // Linux buffers up to 4 MB or 6 MB on each side of a connection.
                await context.expect(
                    sent < 16 << 20, .slow,
                    "\(sent >> 20) MB of a body that no endpoint accepts were sent (\(framing.prefix(6)))."
                )
                await context.expect(
                    await connection.isClosed(within: .seconds(3)), .slow,
                    "The server did not close a connection with a body that is too large.")
            }
            await context.expectServed(while: "large bodies are refused")
        }
    }
}

extension Request {
    /// Returns a request with a body of about 65,600 bytes.
    fileprivate static func large(_ target: String, isForm: Bool = false) -> Request {
        let letters = String(repeating: "a", count: 65_580)
        return isForm || ["/token", "/par", "/device_authorization"].contains(target)
            ? .form(target, [("client_id", letters)]) : .json(target, text: #"{"client_id":"\#(letters)"}"#)
    }
}

extension Catalogue {
    static let largeHeaders: [Attack] = [
        header("HT-24a", "101 header fields are sent.", "headers_too_large", 431) { request in
            for number in 0..<101 { request.fields.append(("X-\(number)", "a")) }
        },
        header("HT-24b", "17 KB of header fields are sent.", "headers_too_large", 431) { request in
            for number in 0..<17 { request.fields.append(("X-\(number)", String(repeating: "a", count: 1000))) }
        },
        header("HT-24c", "A cookie of 20 KB is sent.", "headers_too_large", 431) { request in
            request.fields.append(("Cookie", "a=" + String(repeating: "b", count: 20_000)))
        },
        header("HT-24d", "A request target of 9 KB is sent.", "uri_too_long", 414) { request in
            request.target += "?" + String(repeating: "a", count: 9000)
        },
        Attack(
            "HT-24e", .http, .medium,
            "Header fields, their names and number, request targets and chunk extensions far exceed all limits.",
            oracle: "The server responds with 400, 414 or 431, or closes the connection.", source: "swift-nio's limits",
            needs: []
        ) { context in
            let long = String(repeating: "a", count: 200_000)
            let many = (0..<5000).map { "X-\($0): a\r\n" }.joined()
            for head in [
                "GET /token HTTP/1.1\r\nHost: a\r\nX-A: \(long)\r\n\r\n", "GET /token HTTP/1.1\r\n\(long): a\r\n\r\n",
                "GET /\(long) HTTP/1.1\r\nHost: a\r\n\r\n", "GET /token HTTP/1.1\r\nHost: a\r\n\(many)\r\n",
                "POST /token HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;\(long)\r\na\r\n0\r\n\r\n",
                "POST /token HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-A: \(long)\r\n\r\n",
            ] {
                await context.fire(.raw(head), expecting: .status(400, 413, 414, 415, 431).orClosed)
            }
        },
        Attack(
            "HT-28", .http, .medium, "The callback is opened with many malformed, repeated and binary cookies.",
            oracle: "The server responds with a 400 page or closes the connection, and never responds with a 500.",
            source: "CWE-20", needs: [.browserFlow]
        ) { context in
            let names = (0..<80).map { "__Host-flow-\($0)=\($0)" }.joined(separator: "; ")
            for cookie in [
                names, "=;=;=;;;", "a=b=c=d; =", "\u{0}\u{1}", "\"\\\"; \t", "flow=%00%ff; flow=%00", "ÿþ=ÿ",
            ] {
                let request = Request.get("/callback/\(context.lab.application.provider)?code=a&state=b")
                    .with("Cookie", cookie)
                await context.fire(request, expecting: .status(400).orClosed)
            }
        },
    ]

    private static func header(
        _ id: String, _ sentence: String, _ reason: String, _ status: Int,
        change: @escaping @Sendable (inout Request) -> Void
    ) -> Attack {
        Attack(
            id, .http, .medium, sentence, oracle: "The server responds with \(status) \(reason).",
            source: "RFC 9110 15.5.15; RFC 6585 5",
            needs: []
        ) { context in
            for target in ["/v1/nonce", "/v1/exchange", "/token"] {
                var request = Request.json(target, text: context.nonceText)
                change(&request)
                await context.fire(
                    request, expecting: .refused(reason, status: status, error: "invalid_request"))
            }
        }
    }
}
