extension Catalogue {
    static let fields = Section(.http, .medium, needs: []).attacks(
        .attack(
            "HT-16a", "Answers are asked for in part or only if they changed, with a cache in between.",
            oracle: "Never 206, 304 or 412; `Cache-Control: no-store` on all.", source: "RFC 6749 5.1",
            reveals: [.bareHeaders]
        ) { strike in
            for (name, value) in [
                ("Range", "bytes=0-9"), ("If-None-Match", "*"), ("If-Match", "\"a\""),
                ("Cache-Control", "only-if-cached"),
                ("If-Modified-Since", "Fri, 01 Jan 2100 00:00:00 GMT"), ("Pragma", "akamai-x-cache-on"),
            ] {
                for request in [strike.nonceRequest, .get("/.well-known/oauth-authorization-server")] {
                    let reply = await strike.fire(request.with(name, value), expecting: .status(200))
                    await strike.expectProtected(reply)
                }
            }
        },
        .attack(
            "HT-16b", "A sign-in succeeds, and a cache stands between.",
            oracle: "The answer with the custom token is not to be stored.", source: "RFC 6749 5.1", needs: [.standIns],
            reveals: [.bareHeaders]
        ) { strike in
            let answer = try await strike.honest(try await strike.genuine().request)
            await strike.expectProtected(.answer(answer))
        },
        .attack(
            "HT-17a", "Pages of the browser flow are shown in a frame, with scripts injected.",
            oracle: "A strict CSP without inline script, nosniff, no-referrer, no framing; no script on the page.",
            source: "RFC 9700 4.2, 4.16", needs: [.browserFlow], reveals: [.bareHeaders]
        ) { strike in
            for target in ["/authorize", "/callback/\(strike.lab.application.provider)?code=a&state=b"] {
                await strike.expectPage(await strike.fire(.get(target), expecting: .page(400)))
            }
        },
        .attack(
            "HT-17b", "The page for device codes is shown in a frame.", oracle: "As strict as the others.",
            source: "RFC 9700 4.16; RFC 8628 5.4", needs: [.deviceGrant]
        ) { strike in
            await strike.expectPage(.answer(try await strike.honest(.get("/device"))))
            await strike.expectPage(.answer(try await strike.honest(.get("/device?user_code=BCDF-GHJK"))))
        },
        .attack(
            "HT-17c", "Refusals of all kinds are read by a cache or a browser that guesses types.", severity: .low,
            oracle: "no-store, nosniff, no-referrer, X-Request-Id on each.", source: "RFC 9700 4.2.4",
            reveals: [.bareHeaders]
        ) { strike in
            for (request, status) in [
                (Request.get("/nothing"), 404), (.get("/token"), 405), (.json("/v1/nonce", text: "{}"), 400),
                (.form("/token", [("grant_type", "a")]), 400), (.json("/v1/exchange", text: "{}"), 400),
                (Request("POST", "/v1/nonce"), 415),
            ] {
                let reply = await strike.fire(request, expecting: .status(status))
                await strike.expectProtected(reply)
                await strike.expect(
                    reply.answer?.field("x-request-id") != nil, .unprotected, "The answer has no X-Request-Id.")
            }
        },
        .attack(
            "HT-17d", "Fields of answers are searched for the software and its version.", severity: .low,
            oracle: "No Server, no X-Powered-By, no version.", source: "CWE-200"
        ) { strike in
            for request in [strike.nonceRequest, .get("/nothing"), .get("/authorize"), .raw("x\r\n\r\n")] {
                let reply = await strike.fire(
                    request, expecting: .status(200, 400, 404).orClosed)
                for field in reply.answer?.fields ?? [] {
                    await strike.expect(
                        !["server", "x-powered-by", "via", "x-runtime"].contains(field.name.lowercased()), .leaked,
                        "The field \(field.name) tells of the software.")
                }
            }
        },
    )
}

extension Strike {
    fileprivate func expectProtected(_ reply: Reply) async {
        guard let answer = reply.answer else { return }
        await expect(
            answer.field("cache-control")?.contains("no-store") == true, .unprotected, "The answer may be stored.")
        await expect(
            answer.field("x-content-type-options") == "nosniff", .unprotected, "The answer's type may be guessed.")
        await expect(
            answer.field("referrer-policy") == "no-referrer", .unprotected, "The answer allows a Referer.")
    }

    fileprivate func expectPage(_ reply: Reply) async {
        await expectProtected(reply)
        guard let answer = reply.answer else { return }
        let policy = answer.field("content-security-policy") ?? ""
        await expect(
            policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'")
                && !policy.contains("unsafe-inline") && !policy.contains("unsafe-eval"), .unprotected,
            "The page's policy is not strict: \(policy)")
        await expect(answer.field("x-frame-options") == "DENY", .unprotected, "The page may be framed.")
        let page = answer.text.lowercased()
        for sign in ["<script>", "javascript:", "onclick=", "onload=", "src=\"http", "href=\"http:"] {
            await expect(!page.contains(sign), .unprotected, "The page holds \(sign).")
        }
    }
}
