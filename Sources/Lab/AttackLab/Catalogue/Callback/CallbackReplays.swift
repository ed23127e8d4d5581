extension Catalogue {
    static let callbackReplays = Section(.callback, .critical, needs: [.standIns, .browserFlow]).attacks(
        .attack(
            "CB-04", "A callback is sent a second time, with its cookie.",
            oracle: "The server issues one handoff code, then responds with a 400 page; it calls the provider once.",
            source: "SUPA 2483; RFC 9700 4.2.4", reveals: [.stateReused]
        ) { context in
            let flow = try await context.begin()
            let request = await context.callback(try await context.approve(flow), in: flow.browser)
            let mark = try await context.mark()
            try await context.honest(request, status: 303)
            await context.fire(request, expecting: .page())
            await context.fire(request, expecting: .page())
            try await context.expectCalls(["yahoo.token": 1], since: mark)
        },
        .attack(
            "CB-04a", "A callback of X is sent a second time, with its cookie.",
            oracle: "The server issues one handoff code, then responds with a 400 page; it calls the provider once.",
            source: "SUPA 2483; RFC 9700 4.2.4", reveals: [.stateReused]
        ) { context in
            let flow = try await context.begin(provider: "twitter.com")
            let request = await context.callback(try await context.approve(flow), in: flow.browser)
            let mark = try await context.mark()
            try await context.honest(request, status: 303)
            await context.fire(request, expecting: .page())
            try await context.expectCalls(["x.oauth2_token": 1], since: mark)
        },
        .attack(
            "CB-04b", "The state of a finished flow is sent with a new code.",
            oracle: "The server responds with a 400 page and does not send the new code to the provider.",
            source: "SUPA 2483; RFC 9700 4.7",
            reveals: [.stateReused]
        ) { context in
            let flow = try await context.begin()
            let cookie = await flow.browser.cookie() ?? ""
            try await context.honest(
                await context.callback(try await context.approve(flow), in: flow.browser), status: 303)
            let fresh = try await context.approve(flow, as: "mallory")
            let mark = try await context.mark()
            await context.fire(Request.get(fresh).with("Cookie", cookie), expecting: .page())
            try await context.expectCalls(["yahoo.token": 0], since: mark)
        },
        .attack(
            "CB-05", "The same callback is sent fifty times concurrently.",
            oracle:
                "The responses are redirects with one code, or pages with status 400; the provider is called once.",
            source: "CVE-2026-53518; CVE-2026-47386; SUPA external.go", needs: [.standIns, .browserFlow, .bulk],
            reveals: [.stateReused, .checkThenAct]
        ) { context in
            let flow = try await context.begin()
            let request = await context.callback(try await context.approve(flow), in: flow.browser)
            let mark = try await context.mark()
            await context.race([Request](repeating: request, count: 50))
            try await context.expectCalls(["yahoo.token": 1], since: mark)
        },
        .attack(
            "CB-05a", "The same callback is sent fifty times concurrently to two servers that share a store.",
            oracle:
                "The responses are redirects with one code, or pages with status 400; the provider is called once.",
            source: "CVE-2026-53518; CVE-2026-47386", needs: [.standIns, .browserFlow, .bulk, .processes]
        ) { context in
            try await context.withTwin { twin in
                let flow = try await context.begin()
                let request = await context.callback(try await context.approve(flow), in: flow.browser)
                let mark = try await context.mark()
                await context.race([Request](repeating: request, count: 50), at: [context.lab.server, twin.wire])
                try await context.expectCalls(["yahoo.token": 1], since: mark)
            }
        },
        .attack(
            "CB-05b", "The same callback of X is sent fifty times concurrently.",
            oracle:
                "The responses are redirects with one code, or pages with status 400; the provider is called once.",
            source: "CVE-2026-53518", needs: [.standIns, .browserFlow, .bulk], reveals: [.stateReused, .checkThenAct]
        ) { context in
            let flow = try await context.begin(provider: "twitter.com")
            let request = await context.callback(try await context.approve(flow), in: flow.browser)
            let mark = try await context.mark()
            await context.race([Request](repeating: request, count: 50))
            try await context.expectCalls(["x.oauth2_token": 1], since: mark)
        },
        .attack(
            "CB-05c", "Two codes for one flow are sent concurrently, each many times.",
            oracle: "The server redeems one code, once; every request with the other one gets a 400 page.",
            source: "RFC 9700 4.2.4",
            needs: [.standIns, .browserFlow, .bulk], reveals: [.stateReused, .checkThenAct]
        ) { context in
            let flow = try await context.begin()
            let one = await context.callback(try await context.approve(flow), in: flow.browser)
            let other = await context.callback(try await context.approve(flow, as: "mallory"), in: flow.browser)
            let mark = try await context.mark()
            let replies = await context.race((0..<30).map { $0.isMultiple(of: 2) ? one : other })
            let redeemed = Set(
                replies.indices.filter { replies[$0].answer?.redirected("code") != nil }.map { $0.isMultiple(of: 2) })
            await context.expect(redeemed.count < 2, .raced, "Requests with both codes got the response.")
            try await context.expectCalls(["yahoo.token": 1], since: mark)
        },
        .attack(
            "CB-28", "The user reloads the callback after a successful sign-in, or goes back to it.", severity: .medium,
            oracle:
                "The server has deleted the cookie; it responds with a 400 page and does not call the provider again.",
            source: "practice"
        ) { context in
            let flow = try await context.begin()
            let target = try await context.approve(flow)
            let mark = try await context.mark()
            let answer = try await context.honest(await context.callback(target, in: flow.browser), status: 303)
            await flow.browser.take(answer)
            await context.expect(
                await flow.browser.cookie() == nil, .wrongAnswer, "The cookie of the finished flow was not deleted.")
            await context.fire(await context.callback(target, in: flow.browser), expecting: .page())
            try await context.expectCalls(["yahoo.token": 1], since: mark)
        },
        .attack(
            "CB-04c", "A callback is sent again after the server was killed and restarted.",
            oracle:
                "The server responds with a 400 page, as used flows are recorded on disk; it calls the provider once.",
            source: "CVE-2026-9802; CVE-2026-5774", needs: [.standIns, .browserFlow, .processes]
        ) { context in
            let bed = try context.testBed
            try await context.withServer(context.lonePlan()) { server in
                let flow = try await context.begin(at: server.wire)
                let request = await context.callback(try await context.approve(flow), in: flow.browser)
                let mark = try await context.mark()
                try await context.honest(request, status: 303, at: server.wire)
                await bed.kill(server)
                try await bed.restart(server)
                await context.fire(request, expecting: .page(), at: server.wire)
                try await context.expectCalls(["yahoo.token": 1], since: mark)
            }
        },
    )
}

extension AttackContext {
    /// Sends the callbacks of one flow concurrently, each of which may get the one response.
    @discardableResult func race(_ callbacks: [Request], at wires: [Wire]? = nil) async -> [Reply] {
        let replies = await volley(callbacks, winners: 1...callbacks.count, losers: .page(), at: wires)
        let codes = Set(replies.compactMap { $0.answer?.redirected("code") })
        await expect(codes.count == 1, .raced, "\(codes.count) codes were issued for one flow.")
        return replies
    }
}
