extension Catalogue {
    static let fields = Section(.http, .medium, needs: []).attacks(
        .attack(
            "HT-16a", "Range and conditional requests are sent, as through a cache.",
            oracle: "The server never responds with 206, 304 or 412; every response has `Cache-Control: no-store`.",
            source: "RFC 6749 5.1",
            reveals: [.bareHeaders]
        ) { context in
            for (name, value) in [
                ("Range", "bytes=0-9"), ("If-None-Match", "*"), ("If-Match", "\"a\""),
                ("Cache-Control", "only-if-cached"),
                ("If-Modified-Since", "Fri, 01 Jan 2100 00:00:00 GMT"), ("Pragma", "akamai-x-cache-on"),
            ] {
                for request in [context.nonceRequest, .get("/.well-known/oauth-authorization-server")] {
                    let reply = await context.fire(request.with(name, value), expecting: .status(200))
                    await context.expectProtected(reply)
                }
            }
        },
        .attack(
            "HT-16b", "A sign-in succeeds through a cache.",
            oracle: "The response with the custom token must not be stored.", source: "RFC 6749 5.1",
            needs: [.standIns],
            reveals: [.bareHeaders]
        ) { context in
            let answer = try await context.honest(try await context.genuine().request)
            await context.expectProtected(.answer(answer))
        },
        .attack(
            "HT-17a", "Pages of the browser flow are loaded in a frame, with injected scripts.",
            oracle: "The page has a strict CSP without inline scripts, nosniff, no-referrer, no framing and no script.",
            source: "RFC 9700 4.2, 4.16", needs: [.browserFlow], reveals: [.bareHeaders]
        ) { context in
            for target in ["/authorize", "/callback/\(context.lab.application.provider)?code=a&state=b"] {
                await context.expectPage(await context.fire(.get(target), expecting: .page(400)))
            }
        },
        .attack(
            "HT-17b", "The page for device codes is loaded in a frame.",
            oracle: "The page has the same protection as the others.",
            source: "RFC 9700 4.16; RFC 8628 5.4", needs: [.deviceGrant]
        ) { context in
            await context.expectPage(.answer(try await context.honest(.get("/device"))))
            await context.expectPage(.answer(try await context.honest(.get("/device?user_code=BCDF-GHJK"))))
        },
        .attack(
            "HT-17c", "Error responses are read by a cache or a browser that guesses media types.", severity: .low,
            oracle: "Each response has no-store, nosniff, no-referrer and X-Request-Id.", source: "RFC 9700 4.2.4",
            reveals: [.bareHeaders]
        ) { context in
            for (request, status) in [
                (Request.get("/nothing"), 404), (.get("/token"), 405), (.json("/v1/nonce", text: "{}"), 400),
                (.form("/token", [("grant_type", "a")]), 400), (.json("/v1/exchange", text: "{}"), 400),
                (Request("POST", "/v1/nonce"), 415),
            ] {
                let reply = await context.fire(request, expecting: .status(status))
                await context.expectProtected(reply)
                await context.expect(
                    reply.answer?.field("x-request-id") != nil, .unprotected, "The response has no X-Request-Id.")
            }
        },
        .attack(
            "HT-17d", "The header fields of responses are searched for the software and its version.", severity: .low,
            oracle: "No field names the software: no Server, Via, X-Powered-By or X-Runtime.", source: "CWE-200"
        ) { context in
            for request in [context.nonceRequest, .get("/nothing"), .get("/authorize"), .raw("x\r\n\r\n")] {
                let reply = await context.fire(
                    request, expecting: .status(200, 400, 404).orClosed)
                for field in reply.answer?.fields ?? [] {
                    await context.expect(
                        !["server", "x-powered-by", "via", "x-runtime"].contains(field.name.lowercased()), .leaked,
                        "The field \(field.name) names the software.")
                }
            }
        },
    )
}

extension AttackContext {
    fileprivate func expectProtected(_ reply: Reply) async {
        guard let answer = reply.answer else { return }
        await expect(
            answer.field("cache-control")?.contains("no-store") == true, .unprotected,
            "The response has no Cache-Control: no-store.")
        await expect(
            answer.field("x-content-type-options") == "nosniff", .unprotected,
            "The response has no X-Content-Type-Options: nosniff.")
        await expect(
            answer.field("referrer-policy") == "no-referrer", .unprotected,
            "The response has no Referrer-Policy: no-referrer.")
    }

    fileprivate func expectPage(_ reply: Reply) async {
        await expectProtected(reply)
        guard let answer = reply.answer else { return }
        let policy = answer.field("content-security-policy") ?? ""
        await expect(
            policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'")
                && !policy.contains("unsafe-inline") && !policy.contains("unsafe-eval"), .unprotected,
            "The page's policy is not strict: \(policy)")
        await expect(answer.field("x-frame-options") == "DENY", .unprotected, "The page can be framed.")
        let page = answer.text.lowercased()
        for sign in ["<script>", "javascript:", "onclick=", "onload=", "src=\"http", "href=\"http:"] {
            await expect(!page.contains(sign), .unprotected, "The page contains \(sign).")
        }
    }
}
