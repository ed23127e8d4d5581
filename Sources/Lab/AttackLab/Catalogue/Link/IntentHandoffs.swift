internal import OpenSSL

/// Browser flows that are started for LINK and end elsewhere.
enum IntentHandoffs {
    static let all = Section(.link, .critical, needs: [.standIns, .accounts, .pushedRequests, .browserFlow]).attacks(
        .attack(
            "LK-09g",
            "The attacker pushes a LINK, the victim's browser finishes it, and the code is posted for either uid.",
            oracle:
                "The server responds with user_mismatch to another uid, and pkce_mismatch without the verifier.",
            source: "CVE-2026-33757; RFC 9126"
        ) { context in
            let (attacker, victim) = (try await context.enter(), try await context.enter())
            let (code, flow) = try await context.handoff(
                of: "alice", bearer: attacker.bearer, provider: "twitter.com")
            await context.fire(
                context.link(victim.bearer, handoff: code, flow), expecting: .denied("user_mismatch"))
            let verifier = Base64.urlEncode(try SecureRandom.bytes(32))
            await context.fire(
                context.link(attacker.bearer, handoff: code, flow, verifier: verifier),
                expecting: .refused("pkce_mismatch"))
            try await context.expectIdentities(victim, [victim.provider: victim.subject])
            try await context.expectIdentities(attacker, [attacker.provider: attacker.subject])
        },
        .attack(
            "LK-09h", "The callback of a pushed LINK is sent by a browser that did not start the flow.",
            oracle: "The server responds with a 400 page: the flow is bound to the cookie.",
            source: "COSF; CVE-2025-68158"
        ) { context in
            let attacker = try await context.enter()
            let flow = try await context.pushed(intent: "link", bearer: attacker.bearer, provider: "twitter.com")
            let target = try await context.approve(flow, as: "alice")
            await context.fire(await context.callback(target, in: nil), expecting: .page())
            let other = try await context.begin()
            await context.fire(await context.callback(target, in: other.browser), expecting: .page())
        },
        .attack(
            "LK-09i", "A handoff code of a pushed LINK is used at the token endpoint and at REAUTHENTICATE.",
            oracle: "The server responds with 400 intent_mismatch at both endpoints.",
            source: "token-exchange API: intent"
        ) { context in
            let caller = try await context.enter()
            let (code, flow) = try await context.handoff(of: "mallory", bearer: caller.bearer)
            await context.fire(context.redeem(code, flow), expecting: .refused("intent_mismatch"))
            var request = context.link(caller.bearer, handoff: code, flow)
            request.target = "/v1/account/reauthenticate"
            await context.fire(request, expecting: .refused("intent_mismatch"))
        },
        .attack(
            "LK-09j", "A handoff code of a plain sign-in is used at LINK and REAUTHENTICATE.",
            oracle: "The server responds with 400 intent_mismatch at both; the code stays usable for the sign-in.",
            source: "token-exchange API: intent", needs: [.standIns, .accounts, .browserFlow]
        ) { context in
            let caller = try await context.enter()
            let (code, flow) = try await context.handoff(user: "mallory")
            let link = context.link(caller.bearer, handoff: code, flow)
            var reauthenticate = link
            reauthenticate.target = "/v1/account/reauthenticate"
            await context.fire(link, expecting: .refused("intent_mismatch"))
            await context.fire(reauthenticate, expecting: .refused("intent_mismatch"))
            try await context.mustStillWork(context.redeem(code, flow))
            try await context.expectIdentities(caller, [caller.provider: caller.subject])
        },
        .attack(
            "LK-09k", "A handoff code of a pushed LINK is used for LINK twice, and ten times concurrently.",
            severity: .high,
            oracle: "Once.", source: "HO-01; HO-02"
        ) { context in
            let caller = try await context.enter(at: AttackContext.secondProvider)
            // No other account may have the identity.
            let user = "kobayashi"
            let (code, flow) = try await context.handoff(
                of: user, bearer: caller.bearer, provider: "twitter.com")
            let request = context.link(caller.bearer, handoff: code, flow)
            await context.volley(
                [Request](repeating: request, count: 10), winners: 0...1,
                losers: .refused("replayed").or(.conflict("credential_already_in_use"))
            ) { $0.status == 200 }
            await context.fire(request, expecting: .refused("replayed"))
            if try await context.identities(caller.bearer)["twitter.com"] != nil {
                try await context.honest(context.unlink(caller.bearer, "twitter.com"))
            }
        },
        .attack(
            "LK-09l", "An intent is sent as a parameter of GET /authorize, which takes no bearer token.",
            severity: .high,
            oracle: "The parameter has no effect: the handoff code links nothing.",
            source: "token-exchange API: intent",
            needs: [.standIns, .accounts, .browserFlow]
        ) { context in
            let caller = try await context.enter()
            let verifier = Base64.urlEncode(try SecureRandom.bytes(32))
            let request = context.authorize(verifier: verifier, state: "s") { $0.append(("intent", "link")) }
            let browser = Browser()
            let reply = await context.lab.server.send(request, from: context.source)
            guard let answer = reply.answer, answer.status == 303, let url = answer.field("location"),
                url.hasPrefix(try context.standIns.addresses.yahoo)
            else {
                let isRefused = reply.answer.map { $0.redirected("error") != nil || $0.status == 400 } ?? false
                return await context.expect(
                    isRefused, .wrongAnswer, "The request neither started a flow nor was refused.")
            }
            await browser.take(answer)
            let flow = Flow(
                browser: browser, codeVerifier: verifier, state: "s", redirectURI: context.lab.application.redirectURI,
                clientID: context.lab.application.clientID, authorizationURL: url)
            let back = try await context.honest(
                await context.callback(try await context.approve(flow, as: "mallory"), in: browser), status: 303)
            guard let code = back.redirected("code") else { return }
            await context.fire(
                context.link(caller.bearer, handoff: code, flow), expecting: .refused("intent_mismatch"))
        },
    )
}
