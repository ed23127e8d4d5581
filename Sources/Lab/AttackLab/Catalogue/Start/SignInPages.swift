extension Catalogue {
    static let signInPages = Section(.start, .medium, needs: [.standIns, .browserFlow]).attacks(
        .attack(
            "ST-19", "The confirmation page is loaded in a frame.",
            oracle:
                "The server forbids frames and scripts in its pages, and sends every redirect with 303.",
            source: "RFC 9700 4.16, 4.12", reveals: [.bareHeaders]
        ) { context in
            let page = try await context.honest(context.authorizing("com.example.app:/oauth"))
            let policy = page.field("content-security-policy") ?? ""
            let conditions: [(String, Bool)] = [
                ("X-Frame-Options", page.field("x-frame-options") == "DENY"),
                ("frame-ancestors", policy.contains("frame-ancestors 'none'")),
                ("default-src", policy.contains("default-src 'none'") && !policy.contains("unsafe")),
                ("Referrer-Policy", page.field("referrer-policy") == "no-referrer"),
                ("nosniff", page.field("x-content-type-options") == "nosniff"),
                ("no-store", page.field("cache-control")?.contains("no-store") == true),
            ]
            for (name, condition) in conditions {
                await context.expect(condition, .unprotected, "The page has no \(name).")
            }
            await context.expect(
                !page.text.lowercased().contains("<script"), .unprotected, "The page contains a script.")
        },
        .attack(
            "ST-19a", "A form on another site submits the confirmation without the cookie.",
            severity: .high, oracle: "The server responds with a 400 page and starts no flow.",
            source: "RFC 6749 10.12; CWE-352"
        ) { context in
            let (page, browser) = try await context.prompted()
            let fields = [("provider", "yahoo.com")]
            await context.fire(try await context.submitting(page, fields, in: Browser()), expecting: .page())
            await context.fire(.form("/authorize", [("provider", "yahoo.com")]), expecting: .page())
            await context.fire(.form("/authorize", [("flow", "x"), ("provider", "yahoo.com")]), expecting: .page())
            // Another browser has other flows.
            let other = try await context.prompted().browser
            await context.fire(try await context.submitting(page, fields, in: other), expecting: .page())
            try await context.mustStillWork(try await context.submitting(page, fields, in: browser), status: 303)
        },
        .attack(
            "ST-19b", "A browser sends the cookie with a form of another site, and reports that in Sec-Fetch-Site.",
            oracle: "The server responds with a 400 page to every Sec-Fetch-Site except same-origin.",
            source: "Fetch Metadata",
            needs: [.standIns, .browserFlow, .processes]
        ) { context in
            let (page, browser) = try await context.prompted()
            let form = try await context.submitting(page, [("provider", "yahoo.com")], in: browser)
            for site in ["cross-site", "same-site", "none", "x"] {
                await context.fire(form.with("Sec-Fetch-Site", site), expecting: .page())
            }
            try await context.mustStillWork(form.with("Sec-Fetch-Site", "same-origin"), status: 303)
        },
        .sweep(
            "ST-22", "The form names another provider than the one that the page offered.", severity: .high,
            oracle: "The server redirects to the application with invalid_request, not to the other provider.",
            source: "RFC 9700 4.4", over: ["twitter.com", "op.example", "unknown.example"]
        ) { context, provider in
            let (page, browser) = try await context.prompted()
            let form = try await context.submitting(page, [("provider", provider)], in: browser)
            await context.fire(
                form, tellingApplication: ["invalid_request"], state: "s", redirectURI: "com.example.app:/oauth")
        },
        .attack(
            "ST-22a", "The handle in the page's hidden field is used as the state of a callback.", severity: .high,
            oracle: "The server responds with a 400 page: the flow has not reached the provider yet.",
            source: "RFC 9700 4.4; state machine"
        ) { context in
            let (page, browser) = try await context.prompted()
            let mark = try await context.mark()
            await context.fire(
                await context.callback(
                    "/callback/yahoo.com?code=abcdefg&state=\(page.input("flow") ?? "")", in: browser),
                expecting: .page())
            try await context.expectCalls(["yahoo.token": 0], since: mark)
        },
        .attack(
            "ST-24", "A flow is requested with other methods, and by a browser that prefetches.",
            oracle:
                "The server responds with 405 to other methods, and to a prefetch with a 400 page without a cookie.",
            source: "RFC 9110 9.2.1; practice", needs: [.browserFlow]
        ) { context in
            let good = context.authorizing(context.lab.application.redirectURI)
            for method in ["HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"] {
                var request = good
                request.method = method
                await context.fire(request, expecting: .status(405))
            }
            for (name, value) in [("Purpose", "prefetch"), ("Sec-Purpose", "prefetch;prerender")] {
                let reply = await context.fire(good.with(name, value), expecting: .page())
                await context.expect(
                    reply.answer?.field("set-cookie") == nil, .sideEffect, "A prefetch received a cookie.")
            }
        },
        .attack(
            "ST-27", "The confirmation page is requested with markup in the parameters.",
            oracle: "The page contains no text of the request, only the application's configured name.",
            source: "CWE-79", reveals: [.redirectUnchecked]
        ) { context in
            let canary = try await context.canary()
            let script = "\"><script>\(canary)</script>"
            let request = context.authorize(
                verifier: AttackContext.plainVerifier, state: script, redirectURI: "com.example.app:/oauth"
            ) { $0 += [("login_hint", script), (script, script)] }
            await context.fire(request, expecting: .page(200))
        },
    )
}

extension AttackContext {
    /// Returns the confirmation page, and the browser that loaded it.
    func prompted() async throws -> (page: Answer, browser: Browser) {
        let page = try await honest(authorizing("com.example.app:/oauth"))
        let browser = Browser()
        await browser.take(page)
        return (page, browser)
    }
}
