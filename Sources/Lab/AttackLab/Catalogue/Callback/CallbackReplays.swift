extension Catalogue {
    static let callbackReplays = Section(.callback, .critical, needs: [.standIns, .browserFlow]).attacks(
        .attack(
            "CB-04", "The whole callback, cookie included, is sent a second time.",
            oracle: "One handoff code, then a page with status 400; the provider is asked once.",
            source: "SUPA 2483; RFC 9700 4.2.4", reveals: [.stateReused]
        ) { strike in
            let flow = try await strike.begin()
            let request = await strike.callback(try await strike.approve(flow), in: flow.browser)
            let mark = try await strike.mark()
            try await strike.honest(request, status: 303)
            await strike.fire(request, expecting: .page())
            await strike.fire(request, expecting: .page())
            try await strike.expectCalls(["yahoo.token": 1], since: mark)
        },
        .attack(
            "CB-04a", "The whole callback of X is sent a second time.",
            oracle: "One handoff code, then a page with status 400; the provider is asked once.",
            source: "SUPA 2483; RFC 9700 4.2.4", reveals: [.stateReused]
        ) { strike in
            let flow = try await strike.begin(provider: "twitter.com")
            let request = await strike.callback(try await strike.approve(flow), in: flow.browser)
            let mark = try await strike.mark()
            try await strike.honest(request, status: 303)
            await strike.fire(request, expecting: .page())
            try await strike.expectCalls(["x.oauth2_token": 1], since: mark)
        },
        .attack(
            "CB-04b", "The state of a finished flow comes back with a fresh code.",
            oracle: "A page with status 400; the fresh code is not sent anywhere.", source: "SUPA 2483; RFC 9700 4.7",
            reveals: [.stateReused]
        ) { strike in
            let flow = try await strike.begin()
            let cookie = await flow.browser.cookie() ?? ""
            try await strike.honest(
                await strike.callback(try await strike.approve(flow), in: flow.browser), status: 303)
            let fresh = try await strike.approve(flow, as: "mallory")
            let mark = try await strike.mark()
            await strike.fire(Request.get(fresh).with("Cookie", cookie), expecting: .page())
            try await strike.expectCalls(["yahoo.token": 0], since: mark)
        },
        .attack(
            "CB-05", "The same callback arrives fifty times at once.",
            oracle: "Exactly one redirect with a code, 49 pages with status 400; the provider is asked once.",
            source: "CVE-2026-53518; CVE-2026-47386; SUPA external.go", needs: [.standIns, .browserFlow, .bulk],
            reveals: [.stateReused, .checkThenAct]
        ) { strike in
            let flow = try await strike.begin()
            let request = await strike.callback(try await strike.approve(flow), in: flow.browser)
            let mark = try await strike.mark()
            await strike.volley([Request](repeating: request, count: 50), losers: .page())
            try await strike.expectCalls(["yahoo.token": 1], since: mark)
        },
        .attack(
            "CB-05a", "The same callback arrives fifty times at once at two servers of one store.",
            oracle: "Exactly one redirect with a code, 49 pages with status 400; the provider is asked once.",
            source: "CVE-2026-53518; CVE-2026-47386", needs: [.standIns, .browserFlow, .bulk, .processes]
        ) { strike in
            try await strike.withTwin { twin in
                let flow = try await strike.begin()
                let request = await strike.callback(try await strike.approve(flow), in: flow.browser)
                let mark = try await strike.mark()
                await strike.volley(
                    [Request](repeating: request, count: 50), losers: .page(), at: [strike.lab.server, twin.wire])
                try await strike.expectCalls(["yahoo.token": 1], since: mark)
            }
        },
        .attack(
            "CB-05b", "The same callback of X arrives fifty times at once.",
            oracle: "Exactly one redirect with a code, 49 pages with status 400; the provider is asked once.",
            source: "CVE-2026-53518", needs: [.standIns, .browserFlow, .bulk], reveals: [.stateReused, .checkThenAct]
        ) { strike in
            let flow = try await strike.begin(provider: "twitter.com")
            let request = await strike.callback(try await strike.approve(flow), in: flow.browser)
            let mark = try await strike.mark()
            await strike.volley([Request](repeating: request, count: 50), losers: .page())
            try await strike.expectCalls(["x.oauth2_token": 1], since: mark)
        },
        .attack(
            "CB-05c", "Two codes for one flow arrive at once, each many times.",
            oracle: "One code is tried, once; everything else gets a page with status 400.", source: "RFC 9700 4.2.4",
            needs: [.standIns, .browserFlow, .bulk], reveals: [.stateReused, .checkThenAct]
        ) { strike in
            let flow = try await strike.begin()
            let one = await strike.callback(try await strike.approve(flow), in: flow.browser)
            let other = await strike.callback(try await strike.approve(flow, as: "mallory"), in: flow.browser)
            let mark = try await strike.mark()
            await strike.volley((0..<30).map { $0.isMultiple(of: 2) ? one : other }, losers: .page())
            try await strike.expectCalls(["yahoo.token": 1], since: mark)
        },
        .attack(
            "CB-28", "The person reloads the page after success, or goes back.", severity: .medium,
            oracle: "A page with status 400: the browser has no cookie any more; no second call.", source: "practice"
        ) { strike in
            let flow = try await strike.begin()
            let target = try await strike.approve(flow)
            let mark = try await strike.mark()
            let answer = try await strike.honest(await strike.callback(target, in: flow.browser), status: 303)
            await flow.browser.take(answer)
            await strike.expect(
                await flow.browser.cookie() == nil, .wrongAnswer, "The cookie of the finished flow stays.")
            await strike.fire(await strike.callback(target, in: flow.browser), expecting: .page())
            try await strike.expectCalls(["yahoo.token": 1], since: mark)
        },
        .attack(
            "CB-04c", "The whole callback is sent again after the server was killed and started anew.",
            oracle: "A page with status 400; the provider is asked once: what is used is remembered on disk.",
            source: "CVE-2026-9802; CVE-2026-5774", needs: [.standIns, .browserFlow, .processes]
        ) { strike in
            let bed = try strike.lab.needed(strike.lab.testBed, "processes")
            try await strike.withServer(strike.lonePlan()) { server in
                let flow = try await strike.begin(at: server.wire)
                let request = await strike.callback(try await strike.approve(flow), in: flow.browser)
                let mark = try await strike.mark()
                try await strike.honest(request, status: 303, at: server.wire)
                await bed.kill(server)
                try await bed.restart(server)
                await strike.fire(request, expecting: .page(), at: server.wire)
                try await strike.expectCalls(["yahoo.token": 1], since: mark)
            }
        },
    )
}
