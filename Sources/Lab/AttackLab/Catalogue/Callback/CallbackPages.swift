extension Catalogue {
    static let callbackPages = Section(.callback, .high, needs: [.standIns, .browserFlow]).attacks(
        .attack(
            "CB-11", "The parameters of a failed callback contain scripts and long texts.",
            oracle: "The server responds with a fixed page that repeats no parameter.",
            source: "CVE-2026-33758; CVE-2020-36599",
            needs: [.browserFlow], reveals: [.errorReflected]
        ) { context in
            let canary = try await context.canary()
            let texts = [
                "<script>\(canary)</script>", "\"><svg onload=\(canary)>",
                "\(canary)" + String(repeating: "x", count: 2000),
                "\u{202E}\(canary)\u{202C}", "{{\(canary)}}", "javascript:\(canary)",
            ]
            for text in texts {
                for name in ["error", "error_description", "error_uri", "state", "code", text] {
                    let target =
                        "/callback/yahoo.com?"
                        + PercentEncoding.form(
                            [("state", "s"), ("error", "e")].filter {
                                $0.0 != name
                            } + [(name, text)])
                    await context.fire(.get(target), expecting: .page())
                }
            }
        },
        .attack(
            "CB-11a", "The page of a failed callback is loaded in a frame or made to run a script.", severity: .medium,
            oracle:
                """
                The page has default-src 'none', frame-ancestors 'none', X-Frame-Options, no-referrer, \
                nosniff, no-store.
                """,
            source: "RFC 9700 4.16; CVE-2026-33758", needs: [.browserFlow], reveals: [.bareHeaders]
        ) { context in
            let reply = await context.fire(.get("/callback/yahoo.com?state=s&error=e"), expecting: .page())
            guard let page = reply.answer else { return }
            let policy = page.field("content-security-policy") ?? ""
            let conditions: [(String, Bool)] = [
                ("default-src 'none'", policy.contains("default-src 'none'") && !policy.contains("unsafe")),
                ("frame-ancestors 'none'", policy.contains("frame-ancestors 'none'")),
                ("X-Frame-Options", page.field("x-frame-options") == "DENY"),
                ("Referrer-Policy", page.field("referrer-policy") == "no-referrer"),
                ("X-Content-Type-Options", page.field("x-content-type-options") == "nosniff"),
                ("Cache-Control", page.field("cache-control")?.contains("no-store") == true),
            ]
            for (name, condition) in conditions {
                await context.expect(condition, .unprotected, "The page has no \(name).")
            }
        },
        .sweep(
            "CB-24", "The redirect after a successful sign-in is searched for data that does not belong in a URL.",
            severity: .critical,
            oracle:
                "The redirect is the stored redirect URI with code, the application's state and iss, and nothing else.",
            source: "RFC 9700 4.2, 4.3.2; RFC 9207", reveals: [.tokenInURL], over: ["yahoo.com", "twitter.com"]
        ) { context, provider in
            let flow = try await context.begin(provider: provider)
            let answer = try await context.honest(
                await context.callback(try await context.approve(flow), in: flow.browser), status: 303)
            let location = answer.field("location") ?? ""
            let names = PercentEncoding.query(of: location).map(\.name).sorted()
            await context.expect(
                names == ["code", "iss", "state"] && location.hasPrefix(flow.redirectURI + "?")
                    && !location.contains("#"), .leaked,
                "The redirect has the parameters \(names.joined(separator: ", ")).")
            let text = location + answer.allFields("set-cookie").joined() + answer.text
            // A JWT begins with eyJ, which a random code may contain.
            for word in ["alice", "Alice", "%40", "ALICEWJN", "2244994945", "=eyJ"] {
                await context.expect(!text.contains(word), .leaked, "The redirect contains data about the user.")
            }
            await context.expect(
                answer.redirected("state") == flow.state, .wrongAnswer, "The redirect has another state.")
            await context.expect(
                answer.redirected("iss") == context.lab.server.base, .wrongAnswer,
                "The iss parameter is not this server.")
            await context.expect(
                (22...128).contains(answer.redirected("code")?.count ?? 0), .wrongAnswer,
                "The handoff code has less than 128 bits.")
        },
        .attack(
            "CB-24a", "The redirect with the code is read from a cache or from the Referer field of the next request.",
            severity: .medium,
            oracle: "The redirect itself has Cache-Control: no-store and Referrer-Policy: no-referrer.",
            source: "RFC 9700 4.2.4", reveals: [.bareHeaders]
        ) { context in
            let flow = try await context.begin()
            let answer = try await context.honest(
                await context.callback(try await context.approve(flow), in: flow.browser), status: 303)
            await context.expect(
                answer.field("cache-control")?.contains("no-store") == true, .unprotected,
                "The redirect has no Cache-Control: no-store.")
            await context.expect(
                answer.field("referrer-policy") == "no-referrer", .unprotected,
                "The redirect has no Referrer-Policy: no-referrer.")
        },
        .attack(
            "CB-23", "The callback also contains user, email and uid of the victim.", severity: .critical,
            oracle: "The server ignores them: the account is that of the verified subject.", source: "CVE-2020-26254"
        ) { context in
            let flow = try await context.begin()
            let target = try await context.approve(flow, as: "mallory")
            let planted = PercentEncoding.form([
                ("user", "{\"name\":{\"firstName\":\"Alice\"},\"email\":\"alice@example.com\"}"),
                ("uid", "yahoo.com:VICTIM"),
                ("email", "alice@example.com"), ("sub", "ALICEWJNWVNQD4GXZ5NGMZUST4"), ("user_id", "2244994945"),
                ("screen_name", "alice_example"), ("provider_uid", "x"), ("claims", "{\"admin\":true}"),
            ])
            let finished = try await context.honest(
                await context.callback("\(target)&\(planted)", in: flow.browser), status: 303)
            let answer = try await context.honest(context.redeem(finished.redirected("code") ?? "", flow))
            await context.expect(
                answer["provider_uid"] == "MALLORYJNWVNQD4GXZ5NGMZUS4" && !answer.text.contains("alice"), .minted,
                "The account or the profile comes from parameters of the callback.")
        },
        .attack(
            "CB-32", "The application's state contains further parameters for its own redirect.",
            oracle: "The state is returned as one value; the redirect has code and iss once each.",
            source: "CWE-88; RFC 9207 2",
            reveals: [.tokenInURL]
        ) { context in
            let state = "x&code=planted&iss=https://evil.example&error=x#code=planted"
            let begun = try await context.honest(
                context.authorize(verifier: AttackContext.plainVerifier, state: state), status: 303)
            let browser = Browser()
            await browser.take(begun)
            let url = try await context.standIns.decide(at: begun.field("location") ?? "")
            let answer = try await context.honest(
                await context.callback(AttackContext.target(of: url), in: browser), status: 303)
            let location = answer.field("location") ?? ""
            let names = PercentEncoding.query(of: location).map(\.name)
            await context.expect(
                names.sorted() == ["code", "iss", "state"] && !location.contains("#")
                    && answer.redirected("state") == state, .wrongAnswer, "The state became further parameters.")
        },
    )
}
