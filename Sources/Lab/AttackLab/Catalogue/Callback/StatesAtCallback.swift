extension Catalogue {
    static let statesAtCallback = Section(.callback, .critical, needs: [.standIns, .browserFlow]).attacks(
        .attack(
            "CB-01", "The callback is sent without a state.",
            oracle: "The server responds with a 400 page and does not redeem the code; the flow can still be finished.",
            source: "PROF CSRF 3; FAPI2 invalid-missing-state-fails", reveals: [.stateUnchecked]
        ) { context in
            try await context.withUnspentFlow { flow, target in
                for spelling in [
                    target.setting(parameter: "state", to: nil), target.setting(parameter: "state", to: ""),
                ] {
                    await context.fire(await context.callback(spelling, in: flow.browser), expecting: .page())
                }
            }
        },
        .attack(
            "CB-02", "A browser with a flow sends a callback with a made-up code and a made-up state.",
            oracle: "The server responds with a 400 page and does not call the provider.",
            source: "PROF CSRF 1; RFC 6819 4.4.1.8, 4.4.1.12", reveals: [.stateUnchecked]
        ) { context in
            let flow = try await context.begin()
            let mark = try await context.mark()
            for state in ["x", String(repeating: "A", count: 43), "null", "0", "*", "' OR 1=1--"] {
                let target = "/callback/yahoo.com?code=abcdefg&state=" + PercentEncoding.encode(state)
                await context.fire(await context.callback(target, in: flow.browser), expecting: .page())
            }
            try await context.expectCalls(["yahoo.token": 0], since: mark)
        },
        .attack(
            "CB-02a", "A hundred and fifty callbacks with made-up codes and states are sent without a flow.",
            severity: .high, oracle: "The server responds with a 400 page to each and never calls the provider.",
            source: "RFC 6819 4.4.1.12", needs: [.standIns, .browserFlow, .bulk]
        ) { context in
            let mark = try await context.mark()
            for number in 0..<150 {
                await context.fire(.get("/callback/yahoo.com?code=c\(number)&state=s\(number)"), expecting: .page())
            }
            try await context.expectCalls(["yahoo.token": 0], since: mark)
        },
        .attack(
            "CB-03", "The callback of one browser's flow is opened in a browser without a cookie of a flow.",
            oracle:
                "The server responds with a 400 page and makes no call; the first browser can still finish its flow.",
            source: "PROF CSRF 2; CVE-2025-68158; CVE-2025-14546; CVE-2026-41425; CVE-2026-33757",
            reveals: [.stateUnbound]
        ) { context in
            try await context.withUnspentFlow { flow, target in
                await context.fire(await context.callback(target, in: nil), expecting: .page())
                await context.fire(
                    await context.callback(target, in: nil).with("Cookie", "session=x; flow-x=y"), expecting: .page())
            }
        },
        .attack(
            "CB-03a",
            "The callback of the attacker's flow is opened in the victim's browser, which has a flow of its own.",
            oracle:
                "The server responds with a 400 page and does not call the provider; both flows can still be finished.",
            source: "RFC 6749 10.12; CVE-2025-68481", reveals: [.stateUnbound, .stateUnchecked]
        ) { context in
            let (attackers, victims) = (try await context.begin(), try await context.begin())
            let target = try await context.approve(attackers, as: "mallory")
            let mark = try await context.mark()
            await context.fire(await context.callback(target, in: victims.browser), expecting: .page())
            try await context.expectCalls(["yahoo.token": 0], since: mark)
            try await context.mustStillWork(
                await context.callback(try await context.approve(victims), in: victims.browser), status: 303)
            try await context.mustStillWork(await context.callback(target, in: attackers.browser), status: 303)
        },
        .attack(
            "CB-15", "Two flows begin in one browser, and the first one is finished first.",
            oracle:
                "The server uses redirect URI, state and verifier of the first flow; the second can still be finished.",
            source: "PROF Session Overwriting 1, 2; Key Confusion 6; cloudflare/agents 1666", reveals: [.stateUnchecked]
        ) { context in
            let browser = Browser()
            let first = try await context.begin(in: browser)
            // The second flow must be newer by more than a second, to find a server that uses the newest flow.
            try await Task.sleep(for: .milliseconds(1100))
            let application = context.lab.application
            let second = try await context.begin(
                in: browser, clientID: application.otherClientID, redirectURI: application.otherRedirectURI)
            for (flow, person) in [(first, "alice"), (second, "mallory")] {
                let answer = try await context.mustStillWork(
                    await context.callback(try await context.approve(flow, as: person), in: browser), status: 303)
                guard let answer else { return }
                await browser.take(answer)
                await context.expect(
                    answer.field("location")?.hasPrefix(flow.redirectURI + "?") == true
                        && answer.redirected("state") == flow.state && answer.redirected("code") != nil,
                    .minted, "The flow was finished as another one.")
                try await context.mustStillWork(context.redeem(answer.redirected("code") ?? "", flow))
            }
        },
    )
}
