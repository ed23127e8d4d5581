internal import Jansson

extension Catalogue {
    static let malformedCallbacks = Section(.callback, .medium, needs: [.standIns, .browserFlow]).attacks(
        .attack(
            "CB-16", "The callback is sent as a form by POST, wholly or in part, or with other methods.",
            oracle: "The server responds with 405; the flow can still be finished.",
            source: "OIDF form-post-error"
        ) { context in
            try await context.withUnspentFlow { flow, target in
                let pairs = PercentEncoding.query(of: target).map {
                    ($0.name, $0.value)
                }
                let cookie = await flow.browser.cookie() ?? ""
                await context.fire(
                    Request.form("/callback/yahoo.com", pairs).with("Cookie", cookie), expecting: .status(405))
                await context.fire(Request.form(target, pairs).with("Cookie", cookie), expecting: .status(405))
                for method in ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"] {
                    await context.fire(
                        Request(method, target).with("Cookie", cookie), expecting: .status(405, 400, 501).orClosed)
                }
            }
        },
        .attack(
            "CB-16a", "A page of another site posts forms to the callback of a provider with response_mode: form_post.",
            oracle:
                """
                A form without tokens gets a redirect to the callback itself, which has only the parameters of a \
                response and sets no cookie; a form with tokens or repeated parameters gets a 400 page.
                """,
            source: "OAuth 2.0 Form Post Response Mode; CWE-601; RFC 9700 2.1.2",
            needs: [.standIns, .browserFlow, .processes]
        ) { context in
            try await context.onOwnServer("form-post") {
                $0.set("providers/yahoo.com/response_mode", "form_post")
            } _: { target, _, _ in
                let good = [("code", "abcdefg"), ("state", "s")]
                func post(_ pairs: [(String, String)]) -> Request {
                    Request.form("/callback/yahoo.com", pairs).with("Origin", "https://evil.example")
                        .with("Sec-Fetch-Site", "cross-site")
                }
                let further = [
                    ("redirect_uri", "https://evil.example/"), ("user", "{}"), ("next", "//evil.example"),
                    ("x", "\r\nSet-Cookie: a=b"),
                ]
                let answer = try await target.honest(post(good + further), status: 303)
                let location = answer.field("location") ?? ""
                let names = PercentEncoding.query(of: location).map(\.name)
                await target.expect(
                    AttackContext.target(of: location).hasPrefix("/callback/yahoo.com?") && names == ["code", "state"],
                    .wrongAnswer, "The redirect leads elsewhere, or has other parameters.")
                await target.expect(
                    answer.field("set-cookie") == nil, .sideEffect, "The form of another site changed a cookie.")
                await target.fire(.get(AttackContext.target(of: location)), expecting: .page())
                for bad in [("id_token", "a.b.c"), ("access_token", "t"), ("code", "other"), ("state", "s")] {
                    await target.fire(post(good + [bad]), expecting: .page())
                }
                await target.fire(
                    Request.form("/callback/twitter.com", good).with("Sec-Fetch-Site", "cross-site"),
                    expecting: .page(405))
            }
        },
        .attack(
            "CB-17", "A mail scanner sends HEAD to the callback before the user opens it.", severity: .high,
            oracle: "The server responds with 405; the flow can still be finished.", source: "practice",
            reveals: [.headConsumes]
        ) { context in
            try await context.withUnspentFlow { flow, target in
                var request = await context.callback(target, in: flow.browser)
                request.method = "HEAD"
                await context.fire(request, expecting: .status(405))
            }
        },
        .attack(
            "CB-17a", "A browser prefetches the callback.",
            oracle: "The server responds with a 400 page; the flow and its cookie can still be used.",
            source: "practice"
        ) { context in
            try await context.withUnspentFlow { flow, target in
                for (name, value) in [
                    ("Purpose", "prefetch"), ("Sec-Purpose", "prefetch"), ("Sec-Purpose", "prefetch;prerender"),
                ] {
                    let reply = await context.fire(
                        await context.callback(target, in: flow.browser).with(name, value), expecting: .page())
                    await context.expect(
                        reply.answer?.field("set-cookie") == nil, .sideEffect, "A prefetch changed a cookie.")
                }
            }
        },
        .attack(
            "CB-18", "The callback contains code, state or issuer twice, spelled alike or differently.",
            oracle:
                "The server responds with a 400 page and does not call the provider; the flow can still be finished.",
            source: "RFC 6749 3.1"
        ) { context in
            try await context.withUnspentFlow { flow, target in
                let state = PercentEncoding.parameter("state", of: target) ?? ""
                for suffix in [
                    "code=other", "%63ode=other", "state=\(state)", "stat%65=x", "iss=a&iss=b", "x=%0a&error=a&error=b",
                ] {
                    await context.fire(
                        await context.callback("\(target)&\(suffix)", in: flow.browser), expecting: .page())
                }
            }
        },
        .attack(
            "CB-19", "The callback contains tokens instead of a code, or in addition to it.", severity: .critical,
            oracle:
                """
                The server responds with a 400 page and neither uses nor logs the tokens; the flow can still \
                be finished.
                """,
            source: "CVE-2013-4593; RFC 9700 2.1.2"
        ) { context in
            let (_, issued) = try await context.genuine(user: "mallory")
            guard let idToken = issued["id_token"]?.string, let accessToken = issued["access_token"]?.string else {
                throw Inconclusive("The stand-in issued no token.")
            }
            await context.secret(idToken)
            await context.secret(accessToken)
            try await context.withUnspentFlow { flow, target in
                for suffix in [
                    "id_token=\(idToken)", "access_token=\(accessToken)", "access_token=x&token_type=Bearer",
                ] {
                    await context.fire(
                        await context.callback(
                            "\(target.setting(parameter: "code", to: nil))&\(suffix)", in: flow.browser),
                        expecting: .page())
                    await context.fire(
                        await context.callback("\(target)&\(suffix)", in: flow.browser), expecting: .page())
                }
            }
        },
        .attack(
            "CB-22", "The code contains further parameters for the provider, or is very long.", severity: .high,
            oracle: "The provider receives one code and each of the server's parameters once, or is not called.",
            source: "CWE-88; SRC-CURL"
        ) { context in
            for code in [
                "x&client_id=evil&grant_type=refresh_token&redirect_uri=evil", "x%26client_id%3Devil", "x+y z=&#;",
                String(repeating: "c", count: 6000), "\u{1F511}", "\"}{\"", "../../oauth2/revoke",
            ] {
                let flow = try await context.begin()
                let mark = try await context.mark()
                let target =
                    "/callback/yahoo.com?"
                    + PercentEncoding.form([
                        ("code", code), ("state", flow.providerState ?? ""),
                    ])
                await context.fire(
                    await context.callback(target, in: flow.browser), tellingApplication: [], state: flow.state)
                for request in try await context.standIns.requests(since: mark)
                where request["endpoint"]?.string == "yahoo.token" {
                    let names = (request["body_parameters"]?.array ?? []).compactMap(\.string)
                    await context.expect(
                        Set(names).count == names.count
                            && Set(names).isSubset(of: ["grant_type", "code", "redirect_uri"]),
                        .sideEffect, "The code was read as further parameters by the provider.")
                }
            }
            let flow = try await context.begin()
            for code in ["%0d%0aX-Planted:1", "a%00b", String(repeating: "c", count: 9000)] {
                await context.fire(
                    await context.callback(
                        "/callback/yahoo.com?code=\(code)&state=\(flow.providerState ?? "")", in: flow.browser),
                    expecting: code.count > 8000 ? .page(414) : .page())
            }
        },
        .attack(
            "CB-31", "The path of the callback is spelled differently.",
            oracle:
                "The server responds with 400 or 404 and does not call the provider; the flow can still be finished.",
            source: "RFC 9700 4.4; practice"
        ) { context in
            try await context.withUnspentFlow { flow, target in
                let query = target.drop { $0 != "?" }
                for path in [
                    "/callback/yahoo.com/", "/callback/YAHOO.COM", "/callback/%79ahoo.com", "/callback//yahoo.com",
                    "/callback/", "/callback", "//callback/yahoo.com", "/callback/./yahoo.com",
                    "/callback/x/../yahoo.com",
                    "/callback/yahoo.com;x", "/callback/yahoo.com%00", "/Callback/yahoo.com", "/callback/yahoo.com.",
                ] {
                    await context.fire(
                        await context.callback("\(path)\(query)", in: flow.browser), expecting: .status(400, 404))
                }
            }
        },
    )
}
