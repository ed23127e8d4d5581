internal import Jansson

extension Catalogue {
    static let providerErrors = Section(.callback, .high, needs: [.standIns, .browserFlow]).attacks(
        .sweep(
            "CB-08", "The user refuses the sign-in, and the callback is sent twice.", severity: .medium,
            oracle: "The application gets access_denied and its state once; the second callback gets a 400 page.",
            source: "RFC 6749 4.1.2.1", reveals: [.stateReused], over: ["yahoo.com", "twitter.com"]
        ) { context, provider in
            let flow = try await context.begin(provider: provider)
            let url = try await context.standIns.decide(at: flow.authorizationURL, allow: false)
            let request = await context.callback(AttackContext.target(of: url), in: flow.browser)
            let mark = try await context.mark()
            await context.fire(request, tellingApplication: ["access_denied"], state: flow.state)
            await context.fire(request, expecting: .page())
            try await context.expectCalls(["yahoo.token": 0, "x.oauth2_token": 0], since: mark)
        },
        .attack(
            "CB-09", "A callback contains an error, an unknown state and a URL to redirect to.",
            oracle: "The server responds with a 400 page and no redirect.", source: "RFC 9700 4.11; RFC 6749 4.1.2.1",
            needs: [.browserFlow]
        ) { context in
            let evil = "https%3A%2F%2Fevil.example%2F"
            for query in [
                "error=access_denied&state=x&redirect_uri=\(evil)", "error=access_denied&redirect_uri=\(evil)",
                "error=server_error&state=\(evil)&error_uri=\(evil)", "denied=x&redirect_uri=\(evil)",
                "error=access_denied&state=x&next=\(evil)&return_to=\(evil)",
            ] {
                for provider in ["yahoo.com", "twitter.com"] {
                    await context.fire(.get("/callback/\(provider)?\(query)"), expecting: .page())
                }
            }
        },
        .attack(
            "CB-09a", "The callback of a flow contains an error and another URL to redirect to.",
            oracle: """
                The redirect leads to the stored redirect URI. It names an error of OpenID Connect by its name, and any other \
                as temporarily_unavailable.
                """, source: "RFC 9700 4.11; OIDC Core 3.1.2.6"
        ) { context in
            let errors = [
                ("login_required", "login_required"), ("consent_required", "consent_required"),
                ("interaction_required", "interaction_required"), ("x\"><script>", "temporarily_unavailable"),
                ("https://evil.example/", "temporarily_unavailable"),
                (String(repeating: "e", count: 3000), "temporarily_unavailable"),
            ]
            for (error, told) in errors {
                let flow = try await context.begin()
                let target =
                    "/callback/yahoo.com?"
                    + PercentEncoding.form([
                        ("error", error), ("state", flow.providerState ?? ""),
                        ("redirect_uri", "https://evil.example/"),
                        ("error_uri", "https://evil.example/"), ("code_hint", "x"),
                    ])
                let reply = await context.fire(
                    await context.callback(target, in: flow.browser), tellingApplication: [told], state: flow.state)
                await context.expect(
                    reply.answer?.field("location")?.contains("evil") != true, .echoed,
                    "The server passed parameters of the provider on to the application.")
            }
        },
        .attack(
            "CB-10", "The callback contains both a code and an error, or neither.", severity: .medium,
            oracle:
                "The server responds with a 400 page and does not call the provider; the flow can still be finished.",
            source: "RFC 6749 4.1.2"
        ) { context in
            try await context.withUnspentFlow { flow, target in
                for spelling in [
                    "\(target)&error=access_denied", target.setting(parameter: "code", to: nil),
                    target.setting(parameter: "code", to: ""),
                    "/callback/yahoo.com", "/callback/yahoo.com?",
                ] {
                    await context.fire(await context.callback(spelling, in: flow.browser), expecting: .page())
                }
            }
        },
        .attack(
            "CB-27", "The provider responds to the token request with a redirect to the attacker.", severity: .critical,
            oracle:
                """
                The server does not follow the redirect and sends neither code nor secret; the application \
                gets an error.
                """,
            source: "CVE-2026-54603; CVE-2026-54605", reveals: [.redirectsFollowed]
        ) { context in
            let hostile = try context.standIns.addresses.hostile
            for status in [301, 302, 303, 307, 308] {
                for (provider, endpoint) in [("yahoo.com", "yahoo.token"), ("twitter.com", "x.oauth2_token")] {
                    let flow = try await context.begin(provider: provider)
                    let target = try await context.approve(flow)
                    let header: JSON = ["Location": .string(hostile + "/token")]
                    try await context.standIns.fault([
                        "target": .string(endpoint), "status": .integer(Int64(status)), "header": header, "times": 1,
                    ])
                    await context.fire(
                        await context.callback(target, in: flow.browser), tellingApplication: [], state: flow.state)
                }
            }
        },
        .attack(
            "CB-30", "The provider's token response is an error, a page or garbage that contains a marker.",
            oracle: "The application gets a fixed error text; the server passes on nothing from the response.",
            source: "RFC 6819 4.6.7; CWE-209"
        ) { context in
            let canary = try await context.canary()
            for (status, body) in [
                (400, "{\"error\":\"invalid_grant\",\"error_description\":\"\(canary)\"}"),
                (200, "<html>\(canary)</html>"),
                (500, canary), (200, "{\"error\":\"\(canary)\"}"), (200, "[\"\(canary)\"]"), (200, ""), (204, ""),
                (200, "{\"access_token\":\"\(canary)\",\"access_token\":\"x\",\"token_type\":\"Bearer\"}"),
            ] {
                let flow = try await context.begin()
                let target = try await context.approve(flow)
                try await context.standIns.fault([
                    "target": "yahoo.token", "status": .integer(Int64(status)), "body": .string(body), "times": 1,
                ])
                await context.fire(
                    await context.callback(target, in: flow.browser), tellingApplication: [], state: flow.state)
            }
        },
    )
}
