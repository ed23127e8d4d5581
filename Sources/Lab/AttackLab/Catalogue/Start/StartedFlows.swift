extension Catalogue {
    static let startedFlows = Section(.start, .critical, needs: [.standIns, .browserFlow]).attacks(
        .attack(
            "ST-12", "Three hundred flows are started to predict the values of the next one.",
            oracle: "State, nonce and cookie differ each time, have at least 128 bits, and share no pattern.",
            source: "RFC 9700 2.1.1; RFC 6749 10.10; CVE-2022-31034", needs: [.standIns, .browserFlow, .bulk]
        ) { context in
            var values: [String: [String]] = [:]
            for _ in 0..<300 {
                let answer = try await context.honest(
                    context.authorizing(context.lab.application.redirectURI), status: 303)
                for name in ["state", "nonce"] {
                    if let value = answer.redirected(name) { values[name, default: []].append(value) }
                }
                let cookie = (answer.field("set-cookie") ?? "").prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
                guard cookie.count == 2 else { throw Inconclusive("No cookie was set.") }
                values["cookie's name", default: []].append(String(cookie[0]))
                values["cookie", default: []].append(String(cookie[1]))
            }
            for (name, list) in values.sorted(by: { $0.key < $1.key }) {
                await context.expect(Set(list).count == 300, .wrongAnswer, "The \(name) repeats itself.")
                await context.expect(
                    list.allSatisfy { (22...4096).contains($0.utf8.count) }, .wrongAnswer,
                    "The \(name) has less than 128 bits, or is too long.")
                // A cookie's name has a constant prefix.
                let beginnings = Set(list.map { $0.prefix(name == "cookie's name" ? 9 : 4) })
                await context.expect(
                    name == "cookie" || beginnings.count > 50, .wrongAnswer,
                    "The \(name) always begins with the same characters.")
            }
            await context.expect(
                Set(values["state"] ?? []).isDisjoint(with: values["nonce"] ?? []), .wrongAnswer,
                "State and nonce are the same.")
        },
        .attack(
            "ST-12a", "The browser's data is searched for the verifier that the server uses at the provider.",
            oracle: "URL and cookie contain only a challenge and sealed text; no readable verifier.",
            source: "RFC 7636 4.3; RFC 9700 2.1.1"
        ) { context in
            let request = context.authorize(verifier: AttackContext.plainVerifier, state: "s", provider: "twitter.com")
            let answer = try await context.honest(request, status: 303)
            let parameters = PercentEncoding.query(of: answer.field("location") ?? "")
            guard let challenge = parameters.first(where: { $0.name == "code_challenge" })?.value else {
                await context.found(.wrongAnswer, "X receives no code challenge.")
                return
            }
            await context.expect(
                parameters.first { $0.name == "code_challenge_method" }?.value == "S256", .wrongAnswer,
                "X does not receive S256.")
            await context.expect(
                challenge != AttackContext.challenge(AttackContext.plainVerifier), .wrongAnswer,
                "The application's own challenge was sent to the provider.")
            let cookie = answer.allFields("set-cookie").joined(separator: ";").prefix { $0 != " " }
            let sealed: [String] = cookie.split { "=;.".contains($0) }.map(String.init)
            var words: [String] = []
            for text in parameters.map(\.value) + sealed {
                words.append(text)
                let decoded = String(decoding: Base64.urlDecode(text) ?? [], as: UTF8.self)
                words += decoded.split { "\"{}:,&= ".contains($0) }.map(String.init)
            }
            await context.expect(
                !words.contains { (43...128).contains($0.utf8.count) && AttackContext.challenge($0) == challenge },
                .leaked,
                "The browser can read the verifier.")
        },
        .attack(
            "ST-20", "The provider URL of one browser's flow is opened and finished in another browser.",
            severity: .high,
            oracle: "The server responds to the second browser with a 400 page; the first one can still finish.",
            source: "RFC 9700 4.7", reveals: [.stateUnbound]
        ) { context in
            let mark = try await context.mark()
            let flow = try await context.begin()
            let target = try await context.approve(flow, as: "mallory")
            await context.fire(await context.callback(target, in: nil), expecting: .page())
            try await context.expectCalls(["yahoo.token": 0], since: mark)
            try await context.mustStillWork(await context.callback(target, in: flow.browser), status: 303)
        },
    )

    static let flowCookies = Section(.start, .critical, needs: [.standIns, .browserFlow]).attacks(
        .attack(
            "ST-14", "The victim's browser already has a flow cookie that the attacker chose.",
            oracle: "The server sets a new cookie with a new name: HttpOnly, SameSite=Lax, Path=/, no Domain.",
            source: "CVE-2024-28197; CVE-2022-25896; RFC 6265bis"
        ) { context in
            let attackers = try await context.begin()
            guard let planted = await attackers.browser.cookie() else { throw Inconclusive("No cookie was set.") }
            let answer = try await context.honest(
                context.authorizing(context.lab.application.redirectURI).with("Cookie", planted), status: 303)
            let fields = answer.allFields("set-cookie").filter { !$0.contains("Max-Age=0") }
            await context.expect(fields.count == 1, .wrongAnswer, "\(fields.count) cookies were set.")
            for field in fields {
                let name = field.prefix { $0 != "=" }
                await context.expect(!planted.contains(name), .wrongAnswer, "The planted cookie's name was used again.")
                let attributes = field.split(separator: ";").dropFirst().map { $0.trimmed.lowercased() }
                for attribute in ["httponly", "samesite=lax", "path=/"] {
                    await context.expect(
                        attributes.contains(attribute), .unprotected, "The flow's cookie is set without \(attribute).")
                }
                await context.expect(
                    !attributes.contains { $0.hasPrefix("domain") }, .unprotected, "The flow's cookie has a domain.")
            }
        },
        .attack(
            "ST-14a", "With https, a sibling host or an unencrypted page sets the flow's cookie.",
            severity: .high,
            oracle: "The cookie is Secure and named __Host-…; the server ignores one without that prefix.",
            source: "RFC 6265bis 4.1.3.2; CVE-2024-28197", needs: [.standIns, .browserFlow, .processes]
        ) { context in
            var plan = ServerPlan("https-\(context.attack.id)")
            plan.set("server/public_url", "https://auth.example.com")
            try await context.withServer(plan) { server in
                let wire = server.wire
                let flow = try await context.begin(at: wire)
                guard let cookie = await flow.browser.cookie(), let state = flow.providerState else {
                    throw Inconclusive("No cookie was set.")
                }
                await context.expect(
                    cookie.hasPrefix("__Host-"), .unprotected, "The cookie's name has no __Host- prefix.")
                let target = "/callback/yahoo.com?code=abcdefg&state=\(state)"
                let tossed = Request.get(target).with("Cookie", String(cookie.dropFirst("__Host-".count)))
                await context.fire(tossed, expecting: .page(), at: wire)
                // The server reads its own cookie: it sends the invented code to the provider.
                let mark = try await context.mark()
                try await context.honest(Request.get(target).with("Cookie", cookie), status: 303, at: wire)
                try await context.expectCalls(["yahoo.token": 1], since: mark)
                let again = try await context.honest(
                    context.authorizing(context.lab.application.redirectURI), status: 303, at: wire)
                await context.expect(
                    again.allFields("set-cookie").allSatisfy { $0.contains("; Secure") && $0.contains("; Path=/") },
                    .unprotected, "The cookie is not Secure.")
            }
        },
        .attack(
            "ST-15", "A hundred and fifty flows are started in one browser, which exceeds its cookie limit.",
            severity: .medium,
            oracle: "The server drops old flows: few cookies remain, and the newest flow can be finished.",
            source: "practice (session cookies that grow)", needs: [.standIns, .browserFlow, .bulk]
        ) { context in
            let browser = Browser()
            for _ in 0..<149 { _ = try await context.begin(in: browser) }
            let flow = try await context.begin(in: browser)
            let cookies = await browser.cookie() ?? ""
            await context.expect(
                cookies.split(separator: ";").count <= 10 && cookies.utf8.count <= 12_000, .wrongAnswer,
                "\(cookies.split(separator: ";").count) cookies of \(cookies.utf8.count) bytes are kept.")
            try await context.mustStillWork(
                await context.callback(try await context.approve(flow), in: browser), status: 303)
        },
    )
}
