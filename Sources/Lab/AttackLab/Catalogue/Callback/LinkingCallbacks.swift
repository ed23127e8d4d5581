internal import Jansson

extension Catalogue {
    static let linkingCallbacks = Section(
        .callback, .critical, needs: [.standIns, .browserFlow, .pushedRequests, .accounts]
    ).attacks(
        .attack(
            "CB-25", "A flow that links an account is finished in a browser other than the one in which it began.",
            oracle:
                "The server responds with a 400 page and links nothing; the right browser can still finish the flow.",
            source: "COSF (IEEE S&P 2026); CVE-2015-9284"
        ) { context in
            let (flow, _) = try await context.linkingFlow(of: "linking-attacker")
            let target = try await context.approve(flow, as: "kobayashi")
            let mark = try await context.mark()
            await context.fire(await context.callback(target, in: nil), expecting: .page())
            let victims = try await context.begin()
            await context.fire(await context.callback(target, in: victims.browser), expecting: .page())
            try await context.expectCalls(["yahoo.token": 0], since: mark)
            try await context.mustStillWork(await context.callback(target, in: flow.browser), status: 303)
        },
        .attack(
            "CB-25a", "The code of a flow that links one user's account is redeemed by another user.",
            oracle:
                """
                The server responds with user_mismatch and intent_mismatch and links nothing; the first user \
                can still redeem it.
                """,
            source: "COSF (IEEE S&P 2026)"
        ) { context in
            let (flow, bearer) = try await context.linkingFlow(of: "linking-victim")
            let other = try await context.stranger("linking-other").bearer
            let finished = try await context.honest(
                await context.callback(try await context.approve(flow, as: "kobayashi"), in: flow.browser), status: 303)
            let code = finished.redirected("code") ?? ""
            let link = context.link(bearer, handoff: code, flow)
            await context.fire(context.link(other, handoff: code, flow), expecting: .denied("user_mismatch"))
            var reauthentication = link
            reauthentication.target = "/v1/account/reauthenticate"
            await context.fire(reauthentication, expecting: .refused("intent_mismatch"))
            try await context.mustStillWork(link)
            try await context.honest(context.unlink(bearer, "yahoo.com"))
        },
    )
}

extension AttackContext {
    fileprivate func linkingFlow(of uid: String) async throws -> (flow: Flow, bearer: String) {
        let bearer = try await stranger(uid).bearer
        let pushed = try await honest(pushing({ $0.append(("intent", "link")) }, bearer: bearer), status: 201)
        return (try await flow(behind: pulled(pushed["request_uri"] ?? "")), bearer)
    }
}

extension StandIns {
    /// Adds a redirect URI to the application `ours` at Yahoo.
    func register(_ redirectURI: String) async throws {
        let known = try await applications()["ours"]?["yahoo.com"]?["redirect_uris"]?.array ?? []
        guard !known.isEmpty, !known.contains(.string(redirectURI)) else { return }
        try await changeApplication([
            "provider": "yahoo.com", "redirect_uris": .array(known + [.string(redirectURI)]),
        ])
    }
}
