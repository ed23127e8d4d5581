extension Catalogue {
    static let changedStates = Section(.callback, .high, needs: [.standIns, .browserFlow]).attacks(
        .attack(
            "CB-07", "The callback has a state that is shortened, lengthened, in another letter case or with a suffix.",
            oracle:
                """
                Each gets a 400 page without a call to the provider; a state that is only percent-encoded is \
                accepted.
                """,
            source: "CVE-2026-27840", reveals: [.stateUnchecked]
        ) { context in
            let flow = try await context.begin()
            let target = try await context.approve(flow)
            let state = PercentEncoding.parameter("state", of: target) ?? ""
            let mark = try await context.mark()
            for spelling in [
                String(state.dropLast()), String(state.dropFirst()), "\(state)A", "\(state)=", "\(state) ", " \(state)",
                state.uppercased(), state.lowercased(), "\(state)\u{200B}", "\(state),x", String(state.reversed()),
            ] where spelling != state {
                let changed = target.setting(parameter: "state", to: spelling)
                await context.fire(await context.callback(changed, in: flow.browser), expecting: .page())
            }
            try await context.expectCalls(["yahoo.token": 0], since: mark)
            let encoded = state.utf8.map { "%" + Base16.encode([$0]) }.joined()
            try await context.mustStillWork(
                await context.callback(
                    target.setting(parameter: "state", to: nil) + "&state=" + encoded, in: flow.browser),
                status: 303)
        },
        .attack(
            "CB-07a", "Control characters are appended to the state.",
            oracle: "The server responds with a 400 page; the flow can still be finished.", source: "CVE-2026-27840"
        ) { context in
            let flow = try await context.begin()
            let target = try await context.approve(flow)
            for suffix in ["%00", "%0a", "%0d%0a", "%7f", "%", "%zz", "%c3%28"] {
                await context.fire(await context.callback(target + suffix, in: flow.browser), expecting: .page())
            }
            try await context.mustStillWork(await context.callback(target, in: flow.browser), status: 303)
        },
        .attack(
            "CB-26", "Single characters of the flow's sealed cookie are changed, or two cookies are joined.",
            severity: .critical,
            oracle: "Each gets a 400 page without a call to the provider; the right cookie can still be used.",
            source: "RFC 9700 4.7.1",
            reveals: [.stateUnbound, .stateUnchecked]
        ) { context in
            let (flow, other) = (try await context.begin(), try await context.begin())
            let target = try await context.approve(flow)
            let (name, value) = try await context.flowCookie(flow)
            let (_, others) = try await context.flowCookie(other)
            var forged: [String] = [
                others, "\(value)A", "\(value)=", String(value.dropLast()), String(value.dropFirst()), "",
                "\(value.prefix(value.count / 2))\(others.dropFirst(value.count / 2))", value.uppercased(), "x",
                "\"\(value)\"", "\(others).\(value)", String(value.reversed()),
            ]
            for offset in stride(from: 0, to: value.count, by: max(1, value.count / 24)) {
                var letters = Array(value)
                letters[offset] = letters[offset] == "A" ? "B" : "A"
                forged.append(String(letters))
            }
            let mark = try await context.mark()
            for text in forged {
                await context.fire(Request.get(target).with("Cookie", "\(name)=\(text)"), expecting: .page())
            }
            try await context.expectCalls(["yahoo.token": 0], since: mark)
            try await context.mustStillWork(await context.callback(target, in: flow.browser), status: 303)
        },
        .attack(
            "CB-26a", "The cookie of the attacker's flow is sent under the name of the victim's.", severity: .critical,
            oracle: "The server responds with a 400 page, as the seal covers the name of the cookie.",
            source: "RFC 9700 4.7.1",
            reveals: [.stateUnbound, .stateUnchecked]
        ) { context in
            let (victims, attackers) = (try await context.begin(), try await context.begin())
            let (name, _) = try await context.flowCookie(victims)
            let (own, planted) = try await context.flowCookie(attackers)
            let (target, attackersTarget) = (
                try await context.approve(victims), try await context.approve(attackers, as: "mallory")
            )
            let mark = try await context.mark()
            await context.fire(Request.get(target).with("Cookie", "\(name)=\(planted)"), expecting: .page())
            await context.fire(Request.get(attackersTarget).with("Cookie", "\(name)=\(planted)"), expecting: .page())
            // If two cookies have one name, only the first counts.
            await context.fire(
                Request.get(target).with("Cookie", "\(name)=\(planted); \(own)=\(planted)"), expecting: .page())
            try await context.expectCalls(["yahoo.token": 0], since: mark)
            try await context.mustStillWork(await context.callback(target, in: victims.browser), status: 303)
        },
        .attack(
            "CB-26b", "The callback of an OAuth 1.0a flow is sent with the parameters of OAuth 2.0, and the reverse.",
            oracle: "The server responds with a 400 page and requests no token.", source: "X2-11; RFC 9700 4.4",
            needs: [.standIns, .browserFlow, .processes, .oauth1]
        ) { context in
            var plan = context.lonePlan()
            plan.set("providers/twitter.com/flow", "oauth1")
            try await context.withServer(plan) { server in
                let flow = try await context.begin(provider: "twitter.com", at: server.wire)
                let target = try await context.approve(flow)
                let (token, verifier) = (
                    PercentEncoding.parameter("oauth_token", of: target) ?? "",
                    PercentEncoding.parameter("oauth_verifier", of: target) ?? ""
                )
                guard !token.isEmpty, !verifier.isEmpty else { throw Inconclusive("X gave no verifier.") }
                let mark = try await context.mark()
                for query in [
                    "state=\(token)&code=\(verifier)", "state=\(token)&oauth_verifier=\(verifier)",
                    "oauth_token=\(token)&code=\(verifier)", "oauth_token=\(token)", "denied=x", "denied=\(token)x",
                ] {
                    let request = await context.callback("/callback/twitter.com?\(query)", in: flow.browser)
                    await context.fire(request, expecting: .page(), at: server.wire)
                }
                try await context.expectCalls(["x.access_token": 0, "x.oauth2_token": 0], since: mark)
                try await context.mustStillWork(
                    await context.callback(target, in: flow.browser), status: 303, at: server.wire)
                var request = context.authorize(
                    verifier: flow.codeVerifier, state: flow.state, provider: "twitter.com")
                request.target += "&flow=oauth2"
                let answer = try await context.honest(request, status: 303, at: server.wire)
                let second = await context.flow(after: answer)
                let state = second.providerState ?? ""
                let fresh = try await context.mark()
                for query in ["oauth_token=\(state)&oauth_verifier=x", "denied=\(state)"] {
                    let request = await context.callback("/callback/twitter.com?\(query)", in: second.browser)
                    await context.fire(request, expecting: .page(), at: server.wire)
                }
                try await context.expectCalls(["x.access_token": 0, "x.oauth2_token": 0], since: fresh)
            }
        },
        .attack(
            "CB-06", "The callback is sent more than ten minutes after the flow began.",
            oracle:
                """
                The server responds with a 400 page and makes no call; after nine minutes a flow can still be \
                finished.
                """,
            source: "RFC 9700 4.7",
            needs: [.standIns, .browserFlow, .processes, .clock]
        ) { context in
            try await context.withServer(context.lonePlan()) { server in
                let early = try await context.begin(at: server.wire)
                let late = try await context.begin(at: server.wire)
                try await context.move(server, by: 540)
                try await context.mustStillWork(
                    await context.callback(try await context.approve(early), in: early.browser), status: 303,
                    at: server.wire)
                try await context.move(server, by: 605)
                let target = try await context.approve(late)
                let mark = try await context.mark()
                await context.fire(
                    await context.callback(target, in: late.browser), expecting: .page(), at: server.wire)
                try await context.expectCalls(["yahoo.token": 0], since: mark)
            }
        },
    )
}

extension AttackContext {
    /// Returns name and value of the flow's only cookie.
    func flowCookie(_ flow: Flow) async throws -> (name: String, value: String) {
        let halves = (await flow.browser.cookie() ?? "").split(separator: "=", maxSplits: 1).map(String.init)
        guard halves.count == 2 else { throw Inconclusive("No cookie was set.") }
        return (halves[0], halves[1])
    }
}
