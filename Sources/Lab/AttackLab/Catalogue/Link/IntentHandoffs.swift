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
        ) { strike in
            let (attacker, victim) = (try await strike.enter(), try await strike.enter())
            let (code, flow) = try await strike.handoff(
                of: "alice", intent: "link", bearer: attacker.bearer, provider: "twitter.com")
            await strike.fire(
                strike.link(victim.bearer, handoff: code, flow), expecting: .denied("user_mismatch"))
            let verifier = Base64.urlEncode(try SecureRandom.bytes(32))
            await strike.fire(
                strike.link(attacker.bearer, handoff: code, flow, verifier: verifier),
                expecting: .refused("pkce_mismatch"))
            try await strike.expectIdentities(victim, [victim.provider: victim.subject])
            try await strike.expectIdentities(attacker, [attacker.provider: attacker.subject])
        },
        .attack(
            "LK-09h", "The callback of a pushed LINK is sent by a browser that did not start the flow.",
            oracle: "The server responds with a 400 page: the flow is bound to the cookie.",
            source: "COSF; CVE-2025-68158"
        ) { strike in
            let attacker = try await strike.enter()
            let flow = try await strike.pushed(intent: "link", bearer: attacker.bearer, provider: "twitter.com")
            let target = try await strike.approve(flow, as: "alice")
            await strike.fire(await strike.callback(target, in: nil), expecting: .page())
            let other = try await strike.begin()
            await strike.fire(await strike.callback(target, in: other.browser), expecting: .page())
        },
        .attack(
            "LK-09i", "A handoff code of a pushed LINK is used at the token endpoint and at REAUTHENTICATE.",
            oracle: "The server responds with 400 intent_mismatch at both endpoints.",
            source: "token-exchange API: intent"
        ) { strike in
            let caller = try await strike.enter()
            let (code, flow) = try await strike.handoff(of: "mallory", intent: "link", bearer: caller.bearer)
            await strike.fire(strike.redeem(code, flow), expecting: .refused("intent_mismatch"))
            var request = strike.link(caller.bearer, handoff: code, flow)
            request.target = "/v1/account/reauthenticate"
            await strike.fire(request, expecting: .refused("intent_mismatch"))
        },
        .attack(
            "LK-09j", "A handoff code of a plain sign-in is used at LINK and REAUTHENTICATE.",
            oracle: "The server responds with 400 intent_mismatch at both; the code stays usable for the sign-in.",
            source: "token-exchange API: intent", needs: [.standIns, .accounts, .browserFlow]
        ) { strike in
            let caller = try await strike.enter()
            let (code, flow) = try await strike.handoff(user: "mallory")
            let link = strike.link(caller.bearer, handoff: code, flow)
            var reauthenticate = link
            reauthenticate.target = "/v1/account/reauthenticate"
            await strike.fire(link, expecting: .refused("intent_mismatch"))
            await strike.fire(reauthenticate, expecting: .refused("intent_mismatch"))
            try await strike.mustStillWork(strike.redeem(code, flow))
            try await strike.expectIdentities(caller, [caller.provider: caller.subject])
        },
        .attack(
            "LK-09k", "A handoff code of a pushed LINK is used for LINK twice, and ten times concurrently.",
            severity: .high,
            oracle: "Once.", source: "HO-01; HO-02"
        ) { strike in
            let caller = try await strike.enter(at: Strike.secondProvider)
            // No other account may have the identity.
            let user = "kobayashi"
            let (code, flow) = try await strike.handoff(
                of: user, intent: "link", bearer: caller.bearer, provider: "twitter.com")
            let request = strike.link(caller.bearer, handoff: code, flow)
            await strike.volley(
                [Request](repeating: request, count: 10), winners: 0...1,
                losers: .refused("replayed").or(.conflict("credential_already_in_use"))
            ) { $0.status == 200 }
            await strike.fire(request, expecting: .refused("replayed"))
            if try await strike.identities(caller.bearer)["twitter.com"] != nil {
                try await strike.honest(strike.unlink(caller.bearer, "twitter.com"))
            }
        },
        .attack(
            "LK-09l", "An intent is sent as a parameter of GET /authorize, which takes no bearer token.",
            severity: .high,
            oracle: "The parameter has no effect: the handoff code links nothing.",
            source: "token-exchange API: intent",
            needs: [.standIns, .accounts, .browserFlow]
        ) { strike in
            let caller = try await strike.enter()
            let verifier = Base64.urlEncode(try SecureRandom.bytes(32))
            let request = strike.authorize(verifier: verifier, state: "s") { $0.append(("intent", "link")) }
            let browser = Browser()
            let reply = await strike.lab.server.send(request, from: strike.source)
            guard let answer = reply.answer, answer.status == 303, let url = answer.field("location"),
                url.hasPrefix(try strike.standIns.addresses.yahoo)
            else {
                let isRefused = reply.answer.map { $0.redirected("error") != nil || $0.status == 400 } ?? false
                return await strike.expect(
                    isRefused, .wrongAnswer, "The request neither started a flow nor was refused.")
            }
            await browser.take(answer)
            let flow = Flow(
                browser: browser, codeVerifier: verifier, state: "s", redirectURI: strike.lab.application.redirectURI,
                clientID: strike.lab.application.clientID, authorizationURL: url)
            let back = try await strike.honest(
                await strike.callback(try await strike.approve(flow, as: "mallory"), in: browser), status: 303)
            guard let code = back.redirected("code") else { return }
            await strike.fire(
                strike.link(caller.bearer, handoff: code, flow), expecting: .refused("intent_mismatch"))
        },
    )
}
