internal import Jansson

extension Catalogue {
    static let origins = Section(.http, .high, needs: []).attacks(
        .attack(
            "HT-13a", "Pages of other origins, and of origins that look like the application's, ask.",
            oracle: "403 origin_not_allowed, and no Access-Control-Allow-Origin.", source: "RFC 9700 2.6",
            reveals: [.anyOrigin]
        ) { strike in
            for origin in strike.hostileOrigins {
                let reply = await strike.fire(
                    strike.nonceRequest.with("Origin", origin),
                    expecting: .refused("origin_not_allowed", status: 403, error: "access_denied"))
                await strike.expectNoGrant(reply, origin)
            }
        },
        .sweep(
            "HT-13b", "Browsers ask on behalf of other origins whether they may, with credentials.",
            oracle: "The answer allows nothing.", source: "RFC 9700 2.6; Fetch 4.9", reveals: [.anyOrigin],
            over: ["/v1/exchange", "/v1/nonce", "/token"]
        ) { strike, target in
            for origin in strike.hostileOrigins {
                let request = Request("OPTIONS", target).with("Origin", origin)
                    .with("Access-Control-Request-Method", "POST")
                    .with("Access-Control-Request-Headers", "authorization, content-type")
                let reply = await strike.fire(request, expecting: .status(204, 403, 404, 405))
                await strike.expectNoGrant(reply, origin)
            }
        },
        .attack(
            "HT-13c", "The origin of one application is used to ask on behalf of another.",
            oracle: "At POST, where the client is known, 403 origin_not_allowed.", source: "RFC 9700 2.6",
            reveals: [.anyOrigin]
        ) { strike in
            let application = strike.lab.application
            let request = Request.json(
                "/v1/nonce",
                ["client_id": .string(application.otherClientID), "provider": .string(application.provider)]
            ).with("Origin", application.origin)
            let reply = await strike.fire(
                request, expecting: .refused("origin_not_allowed", status: 403, error: "access_denied"))
            await strike.expectNoGrant(reply, application.origin)
        },
        .attack(
            "HT-13d", "A page of the application's own origin reads the steps of the browser flow.",
            oracle: "No cross-origin access at /authorize, /callback and /device, for any origin.",
            source: "RFC 9700 2.6", needs: [.browserFlow]
        ) { strike in
            let origin = strike.lab.application.origin
            for target in ["/authorize", "/callback/\(strike.lab.application.provider)?code=a&state=b"] {
                let reply = await strike.fire(
                    .get(target).with("Origin", origin), expecting: .page(400))
                await strike.expectNoGrant(reply, origin)
                let preflight = Request("OPTIONS", target).with("Origin", origin)
                    .with("Access-Control-Request-Method", "GET")
                await strike.expectNoGrant(await strike.fire(preflight, expecting: .status(400, 404, 405)), origin)
            }
        },
        .attack(
            "HT-13e", "The application's own origin asks with credentials.", severity: .medium,
            oracle: "Access-Control-Allow-Origin is that origin, Vary says so, and credentials are not allowed.",
            source: "RFC 9700 2.6; Fetch 4.9", needs: [.origin]
        ) { strike in
            let origin = strike.lab.application.origin
            let preflight = Request("OPTIONS", "/v1/exchange").with("Origin", origin)
                .with("Access-Control-Request-Method", "POST")
            for request in [preflight, strike.nonceRequest.with("Origin", origin).with("Cookie", "a=b")] {
                let reply = await strike.fire(request, expecting: .status(200, 204))
                guard let answer = reply.answer else { continue }
                await strike.expect(
                    answer.field("access-control-allow-origin") == origin, .wrongAnswer,
                    "The application's own origin is not allowed.")
                await strike.expect(
                    answer.field("access-control-allow-credentials") == nil, .unprotected, "Credentials are allowed.")
                await strike.expect(
                    answer.field("vary")?.lowercased().contains("origin") == true, .unprotected,
                    "Vary does not name Origin, so that a cache may mix answers up.")
            }
        },
    )
}

extension Strike {
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
            answer.field("access-control-allow-origin") == nil, .unprotected, "\(origin) may read the answer.")
        await expect(
            answer.field("access-control-allow-credentials") == nil, .unprotected, "\(origin) may use cookies.")
    }
}
