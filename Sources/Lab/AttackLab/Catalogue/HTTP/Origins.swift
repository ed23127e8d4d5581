internal import Jansson

extension Catalogue {
    static let origins = Section(.http, .high, needs: []).attacks(
        .attack(
            "HT-13a", "Pages of other origins send requests, some of which look like the application's origin.",
            oracle: "The server responds with 403 origin_not_allowed and without Access-Control-Allow-Origin.",
            source: "RFC 9700 2.6",
            reveals: [.anyOrigin]
        ) { context in
            for origin in context.hostileOrigins {
                let reply = await context.fire(
                    context.nonceRequest.with("Origin", origin),
                    expecting: .denied("origin_not_allowed"))
                await context.expectNoGrant(reply, origin)
            }
        },
        .sweep(
            "HT-13b", "Browsers send CORS preflights with credentials for other origins.",
            oracle: "The response allows no origin and no credentials.", source: "RFC 9700 2.6; Fetch 4.9",
            reveals: [.anyOrigin],
            over: ["/v1/exchange", "/v1/nonce", "/token"]
        ) { context, target in
            for origin in context.hostileOrigins {
                let request = Request("OPTIONS", target).with("Origin", origin)
                    .with("Access-Control-Request-Method", "POST")
                    .with("Access-Control-Request-Headers", "authorization, content-type")
                let reply = await context.fire(request, expecting: .status(204, 403, 404, 405))
                await context.expectNoGrant(reply, origin)
            }
        },
        .attack(
            "HT-13c", "A request from the origin of one application has the client id of another.",
            oracle: "The server responds to the POST, which names the client, with 403 origin_not_allowed.",
            source: "RFC 9700 2.6",
            reveals: [.anyOrigin]
        ) { context in
            let application = context.lab.application
            let request = Request.json(
                "/v1/nonce",
                ["client_id": .string(application.otherClientID), "provider": .string(application.provider)]
            ).with("Origin", application.origin)
            let reply = await context.fire(
                request, expecting: .denied("origin_not_allowed"))
            await context.expectNoGrant(reply, application.origin)
        },
        .attack(
            "HT-13d", "A page of the application's origin tries to read the steps of the browser flow.",
            oracle: "The server allows no origin to read /authorize, /callback and /device.",
            source: "RFC 9700 2.6", needs: [.browserFlow]
        ) { context in
            let origin = context.lab.application.origin
            for target in ["/authorize", "/callback/\(context.lab.application.provider)?code=a&state=b"] {
                let reply = await context.fire(
                    .get(target).with("Origin", origin), expecting: .page(400))
                await context.expectNoGrant(reply, origin)
                let preflight = Request("OPTIONS", target).with("Origin", origin)
                    .with("Access-Control-Request-Method", "GET")
                await context.expectNoGrant(await context.fire(preflight, expecting: .status(400, 404, 405)), origin)
            }
        },
        .attack(
            "HT-13e", "The application's own origin sends requests with credentials.", severity: .medium,
            oracle: "Access-Control-Allow-Origin is that origin, Vary names Origin, and credentials are not allowed.",
            source: "RFC 9700 2.6; Fetch 4.9", needs: [.origin]
        ) { context in
            let origin = context.lab.application.origin
            let preflight = Request("OPTIONS", "/v1/exchange").with("Origin", origin)
                .with("Access-Control-Request-Method", "POST")
            for request in [preflight, context.nonceRequest.with("Origin", origin).with("Cookie", "a=b")] {
                let reply = await context.fire(request, expecting: .status(200, 204))
                guard let answer = reply.answer else { continue }
                await context.expect(
                    answer.field("access-control-allow-origin") == origin, .wrongAnswer,
                    "The response does not allow the application's own origin.")
                await context.expect(
                    answer.field("access-control-allow-credentials") == nil, .unprotected,
                    "The response allows credentials.")
                await context.expect(
                    answer.field("vary")?.lowercased().contains("origin") == true, .unprotected,
                    "Vary does not name Origin, so that a cache can mix up responses.")
            }
        },
    )
}

extension AttackContext {
    fileprivate var hostileOrigins: [String] {
        let own = lab.application.origin
        let host = own.dropFirst("https://".count)
        return [
            "null", "https://evil.example", "\(own).evil.example", "\(own):8443", "http://\(host)", "https://x\(host)",
            "https://evil.\(host)", "\(own).", "\(own)/", "https://\(host.uppercased())",
            "\(own), https://evil.example",
            "*", "file://", "chrome-extension://a",
        ]
    }

    fileprivate func expectNoGrant(_ reply: Reply, _ origin: String) async {
        guard let answer = reply.answer else { return }
        await expect(
            answer.field("access-control-allow-origin") == nil, .unprotected, "\(origin) can read the response.")
        await expect(
            answer.field("access-control-allow-credentials") == nil, .unprotected, "\(origin) can send cookies.")
    }
}

extension Catalogue {
    /// Messages that a proxy in front of the server may read differently.
    static let hosts = Section(.http, .high, needs: []).attacks(
        .sweep(
            "HT-30", "A request has no Host field, two, an empty one, or an invalid one.",
            oracle: "The server responds with 400 and closes the connection, so that no proxy can read another host.",
            source: "RFC 9112 3.2; CWE-444", reveals: [.anyHost],
            over: ["", "Host: a\r\nHost: b\r\n", "Host: a\r\nhost: a\r\n", "Host: a b\r\n", "Host: \r\n"]
        ) { context, fields in
            await context.fireClosing("POST /v1/nonce HTTP/1.1\r\n" + fields)
        },
        .attack(
            "HT-31", "A request of HTTP/1.0 has a chunked body.",
            oracle: "The server responds with 400 and closes the connection: HTTP/1.0 has no transfer codings.",
            source: "RFC 9112 6.1; CWE-444", needs: [.processes]
        ) { context in
            try await context.onOwnServer("old") { target, _, _ in
                for encoding in ["chunked", "identity, chunked", "gzip, chunked"] {
                    await target.fireClosing(
                        "POST /v1/nonce HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n", chunked: encoding)
                }
            }
        },
    )
}

extension AttackContext {
    /// Sends a valid body after this head, and then a second request, which must get no response.
    ///
    /// If `encoding` is `nil`, the body has a Content-Length instead of a transfer coding.
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
                await connection.answer(to: "POST", within: .seconds(5)), [400, 501], to: "An ambiguous message",
                mayClose: true)
            // If the lab did not start the server, the connection may be one to a proxy.
            guard lab.offers.contains(.processes) else { return }
            if case .answer(let answer) = await connection.answer(to: "GET", within: .seconds(2)) {
                await expect(
                    answer.status != 200, .wrongAnswer,
                    "The server kept the connection open after an ambiguous message.")
            }
        } catch {
            // The server refused the connection, or closed it during the request.
        }
    }
}

extension Catalogue {
    static let echoes = Section(.http, .medium, needs: []).attacks(
        .attack(
            "HT-29a", "Every member of refused requests contains a marker.",
            oracle: "The response does not contain the marker, neither in the description nor in a field.",
            source: "RFC 6819 4.6.7",
            reveals: [.inputEchoed]
        ) { context in
            let canary = try await context.canary()
            for body: String in [
                #"{"client_id":"\#(canary)","provider":"yahoo.com"}"#,
                #"{"client_id":"my-app","provider":"\#(canary)"}"#,
                #"{"\#(canary)":1,"client_id":"my-app","provider":"yahoo.com"}"#,
            ] {
                await context.fire(.json("/v1/nonce", text: body), expecting: .status(400, 401))
            }
            for credential in [
                #"{"type":"\#(canary)"}"#, #"{"type":"id_token","id_token":"\#(canary)","nonce":"\#(canary)"}"#,
                #"{"type":"id_token","\#(canary)":"a"}"#,
            ] {
                await context.fire(
                    .json(
                        "/v1/exchange",
                        text: #"{"client_id":"my-app","provider":"yahoo.com","credential":\#(credential)}"#),
                    expecting: .status(400))
            }
            for name in ["grant_type", "client_id", "code", "subject_token_type"] {
                await context.fire(.form("/token", [(name, canary)]), expecting: .status(400, 401))
            }
        },
        .attack(
            "HT-29b", "A body that is not JSON contains a marker.",
            oracle: "The server responds with 400 malformed_body and does not repeat the marker.",
            source: "RFC 6819 4.6.7",
            reveals: [.inputEchoed, .crashOnGarbage]
        ) { context in
            let canary = try await context.canary()
            await context.fire(.json("/v1/nonce", text: canary), expecting: .malformed("malformed_body"))
            await context.fire(
                .json("/v1/exchange", text: #"{"a":"\#(canary)"#), expecting: .malformed("malformed_body"))
        },
        .attack(
            "HT-29c", "Paths, methods and header fields contain a marker.",
            oracle: "Neither response nor log contains the marker.", source: "CWE-209; CWE-117"
        ) { context in
            let canary = try await context.canary()
            await context.fire(.get("/\(canary)"), expecting: .status(404))
            await context.fire(Request(canary.uppercased(), "/token"), expecting: .status(400, 405))
            await context.fire(.get("/token").with("X-Request-Id", canary), expecting: .status(405))
            await context.fire(.get("/token").with("User-Agent", canary), expecting: .status(405))
            await context.fire(.get("/nothing").with("Host", canary), expecting: .status(400, 404))
            await context.fire(
                context.nonceRequest.with("Origin", "https://app.example/\(canary)"), expecting: .status(403))
        },
    )
}
