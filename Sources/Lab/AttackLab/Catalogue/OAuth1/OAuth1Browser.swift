extension Catalogue {
    /// The three-legged flow in a browser, with a server that starts it by OAuth 1.0a.
    static let oauth1Browser = Section(.oauth1, .critical, needs: [.standIns, .oauth1, .browserFlow, .processes])
        .attacks(
            .attack(
                "O1-08b", "A callback contains a request token of another flow than this browser's.",
                oracle: "The server responds with a 400 page, requests no access token, and keeps the flow valid.",
                source: "OAuth advisory 2009.1; RFC 5849 4.14"
            ) { context in
                try await context.withOAuth1Server { server in
                    let (flow, target) = try await context.approvedOAuth1(at: server.wire)
                    let (_, foreign) = try await context.approvedOAuth1(at: server.wire, as: "mallory")
                    let mark = try await context.mark()
                    await context.fire(
                        await context.callback(foreign, in: flow.browser), expecting: .page(), at: server.wire)
                    for token in ["", "unknown", "0"] {
                        let changed = target.setting(parameter: "oauth_token", to: token)
                        await context.fire(
                            await context.callback(changed, in: flow.browser), expecting: .page(), at: server.wire)
                    }
                    let without = target.setting(parameter: "oauth_verifier", to: nil)
                    await context.fire(
                        await context.callback(without, in: flow.browser), expecting: .page(), at: server.wire)
                    try await context.expectCalls(["x.access_token": 0], since: mark)
                    try await context.mustStillWork(
                        await context.callback(target, in: flow.browser), status: 303, at: server.wire)
                }
            },
            .attack(
                "O1-10",
                "The attacker starts a flow, the victim consents, and the callback arrives in the victim's browser.",
                oracle:
                    "a 400 page, because that browser started no flow, and requests no access token.",
                source: "OAuth advisory 2009.1 (session fixation)"
            ) { context in
                try await context.withOAuth1Server { server in
                    let (_, target) = try await context.approvedOAuth1(at: server.wire)
                    let victims = try await context.approvedOAuth1(at: server.wire)
                    let mark = try await context.mark()
                    await context.fire(await context.callback(target, in: nil), expecting: .page(), at: server.wire)
                    await context.fire(
                        await context.callback(target, in: victims.flow.browser), expecting: .page(), at: server.wire)
                    await context.fire(
                        .get(target).with("Cookie", "tx_flow=1; __Host-tx_flow=1"), expecting: .page(), at: server.wire)
                    try await context.expectCalls(["x.access_token": 0], since: mark)
                }
            },
            .attack(
                "O1-11b", "A callback of OAuth 1.0a is replayed, and sent 50 times concurrently to two processes.",
                oracle: "The server issues one handoff code and requests one access token.", source: "RFC 9700 4.2.4",
                needs: [.standIns, .oauth1, .browserFlow, .processes, .bulk]
            ) { context in
                try await context.withOAuth1Server { server in
                    let (flow, target) = try await context.approvedOAuth1(at: server.wire)
                    let request = await context.callback(target, in: flow.browser)
                    let mark = try await context.mark()
                    await context.race(
                        Array(repeating: request, count: 50), at: [server.wire, context.lab.server])
                    await context.fire(request, expecting: .page(), at: server.wire)
                    try await context.expectCalls(["x.access_token": 1], since: mark)
                }
            },
            .attack(
                "O1-12b", "A callback contains `denied`, with the request token of its flow and with an unknown one.",
                severity: .medium,
                oracle: "Its own token: 303 with access_denied, and the flow ends. An unknown one: a 400 page.",
                source: "X documentation of denied"
            ) { context in
                try await context.withOAuth1Server { server in
                    let (flow, target) = try await context.approvedOAuth1(at: server.wire)
                    let path = String(target.prefix { $0 != "?" })
                    await context.fire(
                        await context.callback(path + "?denied=unknown", in: flow.browser), expecting: .page(),
                        at: server.wire)
                    let denied = PercentEncoding.parameter("oauth_token", of: target) ?? ""
                    let reply = await context.fire(
                        await context.callback(path + "?denied=" + denied, in: flow.browser), expecting: .status(303),
                        at: server.wire)
                    await context.expect(
                        reply.answer?.redirected("error") == "access_denied"
                            && reply.answer?.redirected("state") == flow.state, .wrongAnswer,
                        "The application does not learn of the refusal.")
                    let mark = try await context.mark()
                    await context.fire(
                        await context.callback(target, in: flow.browser), expecting: .page(), at: server.wire)
                    try await context.expectCalls(["x.access_token": 0], since: mark)
                }
            },
        )
}

extension AttackContext {
    /// Returns a flow with X by OAuth 1.0a to which the user consented, and the callback's path and query.
    func approvedOAuth1(at wire: Wire, as user: String = "alice") async throws -> (flow: Flow, target: String) {
        let flow = try await begin(provider: "twitter.com", at: wire)
        return (flow, try await approve(flow, as: user))
    }
}
