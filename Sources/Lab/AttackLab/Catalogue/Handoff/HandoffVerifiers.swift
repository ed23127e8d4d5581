extension Catalogue {
    static let handoffVerifiers = Section(.handoff, .critical, needs: [.standIns, .browserFlow]).attacks(
        .attack(
            "HO-03", "A stolen handoff code is redeemed with wrong verifiers before the application redeems it.",
            oracle:
                "The server responds with pkce_mismatch; the application can still redeem the code with its verifier.",
            source: "NocoDB fix note; twenty 26025; RFC 7636 4.6"
        ) { context in
            let (code, flow) = try await context.handoff()
            for number in 1...4 {
                await context.fire(
                    context.redeem(code, flow, verifier: "\(AttackContext.plainVerifier)\(number)"),
                    expecting: .refused("pkce_mismatch"))
            }
            try await context.mustStillWork(context.redeem(code, flow))
        },
        .attack(
            "HO-03a", "A verifier is guessed more than five times.", severity: .high,
            oracle: "After five failures the server refuses the code, even with the right verifier.",
            source: "NocoDB fix note"
        ) { context in
            let (code, flow) = try await context.handoff()
            for number in 1...5 {
                await context.fire(
                    context.redeem(code, flow, verifier: "\(AttackContext.plainVerifier)\(number)"),
                    expecting: .refused("pkce_mismatch"))
            }
            for _ in 0..<3 {
                await context.fire(context.redeem(code, flow), expecting: .refused("code_rejected"))
            }
        },
        .attack(
            "HO-03b", "A hundred verifiers are tried for one code concurrently.", severity: .high,
            oracle: "The server compares at most five, then responds with code_rejected; no request succeeds.",
            source: "NocoDB fix note",
            needs: [.standIns, .browserFlow, .bulk]
        ) { context in
            let (code, flow) = try await context.handoff()
            let requests = (100..<200).map {
                context.redeem(code, flow, verifier: "\(AttackContext.plainVerifier)\($0)")
            }
            let replies = await context.volley(
                requests, winners: 0...0, losers: .refused("pkce_mismatch", "code_rejected"))
            let looked = replies.filter { $0.answer?["reason"] == "pkce_mismatch" }.count
            await context.expect(looked <= 5, .raced, "\(looked) wrong verifiers were compared; the limit is 5.")
            await context.fire(context.redeem(code, flow), expecting: .refused("code_rejected"))
        },
        .attack(
            "HO-04", "A stolen handoff code is redeemed without a verifier.",
            oracle: "The server responds with pkce_required; the right verifier still works afterwards.",
            source: "CVE-2023-48228",
            reveals: [.verifierOptional]
        ) { context in
            let (code, flow) = try await context.handoff()
            let bare = context.redeem(code, flow) { $0.set("code_verifier", nil) }
            await context.fire(bare, expecting: .malformed("pkce_required"))
            await context.fire(
                context.redeem(code, flow, verifier: ""), expecting: .malformed("pkce_required", "malformed_body"))
            await context.fire(
                context.redeem(code, flow) { parameters in
                    parameters.set("code_verifier", nil)
                    parameters += [
                        ("code_challenge", AttackContext.challenge(flow.codeVerifier)),
                        ("code_challenge_method", "S256"),
                    ]
                }, expecting: .malformed("pkce_required"))
            try await context.mustStillWork(context.redeem(code, flow))
        },
        .attack(
            "HO-04a", "The challenge, which is in the browser's history, is sent as the verifier.",
            oracle: "The server responds with pkce_mismatch: the method is always S256 and never plain.",
            source: "RFC 7636 7.2; PKCE plain confusion"
        ) { context in
            let (code, flow) = try await context.handoff()
            let challenge = AttackContext.challenge(flow.codeVerifier)
            await context.fire(
                context.redeem(code, flow, verifier: challenge), expecting: .refused("pkce_mismatch"))
            await context.fire(
                context.redeem(code, flow, verifier: challenge) { $0.append(("code_challenge_method", "plain")) },
                expecting: .refused("pkce_mismatch"))
            try await context.mustStillWork(context.redeem(code, flow))
        },
        .attack(
            "HO-04b", "The verifier is too short, too long, or has characters that are not allowed.", severity: .medium,
            oracle: "The server responds with malformed_body; the code can still be redeemed.", source: "RFC 7636 4.1"
        ) { context in
            let (code, flow) = try await context.handoff()
            let right = flow.codeVerifier
            let malformed: [String] = [
                String(right.dropLast()), String(repeating: "v", count: 129), "\(right)+", "\(right) ", "\(right)=",
                "\(right)\u{E9}", "\(right)/", "*", "\(right)%",
            ]
            for verifier in malformed {
                await context.fire(
                    context.redeem(code, flow, verifier: verifier), expecting: .malformed("malformed_body"))
            }
            try await context.mustStillWork(context.redeem(code, flow))
        },
        .attack(
            "HO-11", "A malicious application registers the same URI scheme, receives the code and redeems it.",
            oracle: "The server refuses it without the verifier; the right application can still redeem the code.",
            source: "RFC 8252 8.1; RFC 9700 (A3)"
        ) { context in
            let (page, browser) = try await context.prompted()
            let pressed = try await context.submitting(page, [("provider", "yahoo.com")], in: browser)
            let left = try await context.honest(pressed, status: 303)
            await browser.take(left)
            let url = try await context.standIns.decide(at: left.field("location") ?? "")
            let caught = try await context.honest(
                await context.callback(AttackContext.target(of: url), in: browser), status: 303)
            let flow = Flow(
                browser: browser, codeVerifier: AttackContext.plainVerifier, state: "s",
                redirectURI: "com.example.app:/oauth",
                clientID: context.lab.application.clientID, authorizationURL: "")
            let code = caught.redirected("code") ?? ""
            for guess in [String(repeating: "m", count: 43), code, "\(code)\(code)"]
            where (43...128).contains(guess.count) {
                await context.fire(
                    context.redeem(code, flow, verifier: guess), expecting: .refused("pkce_mismatch"))
            }
            try await context.mustStillWork(context.redeem(code, flow))
        },
    )
}

extension AttackContext {
    /// Returns `POST /token` with another verifier.
    func redeem(
        _ code: String, _ flow: Flow, verifier: String, _ change: (inout [(String, String)]) -> Void = { _ in }
    ) -> Request {
        redeem(code, flow) { parameters in
            parameters.set("code_verifier", verifier)
            change(&parameters)
        }
    }
}

extension Catalogue {
    static let handoffTimes = Section(.handoff, .high, needs: [.standIns, .browserFlow, .processes, .clock]).attacks(
        .attack(
            "HO-05", "A handoff code is redeemed after its lifetime of sixty seconds.",
            oracle: "The server responds with expired; just before, the redemption succeeds.",
            source: "RFC 9700 4.2.4; RFC 6749 4.1.2"
        ) { context in
            try await context.withServer(context.lonePlan()) { server in
                let (early, first) = try await context.handoff(at: server.wire)
                let (late, second) = try await context.handoff(at: server.wire)
                try await context.move(server, by: 45)
                try await context.mustStillWork(context.redeem(early, first), at: server.wire)
                try await context.move(server, by: 62)
                await context.fire(context.redeem(late, second), expecting: .refused("expired"), at: server.wire)
                try await context.move(server, by: 4000)
                await context.fire(
                    context.redeem(late, second), expecting: .refused("expired", "code_rejected"), at: server.wire)
                await context.fire(
                    context.redeem(early, first), expecting: .refused("expired", "code_rejected", "replayed"),
                    at: server.wire)
            }
        },
        .attack(
            "HO-05a", "A handoff code is redeemed after a minute of real time.",
            oracle: "The server responds with expired.", source: "RFC 9700 4.2.4",
            needs: [.standIns, .browserFlow, .patience],
            reveals: [.handoffForever]
        ) { context in
            let (code, flow) = try await context.handoff()
            try await Task.sleep(for: .seconds(61.5))
            await context.fire(context.redeem(code, flow), expecting: .refused("expired"))
        },
        .attack(
            "HO-14", "Twelve handoff codes are redeemed twice each in the second in which they expire.",
            severity: .critical,
            oracle: "Each code is redeemed at most once; other responses are expired or replayed, never a 500.",
            source: "SR-07", needs: [.standIns, .browserFlow, .processes, .clock, .bulk, .patience]
        ) { context in
            try await context.withServer(context.lonePlan()) { server in
                var handoffs: [(code: String, flow: Flow)] = []
                for _ in 0..<12 { handoffs.append(try await context.handoff(at: server.wire)) }
                try await context.move(server, by: 57)
                let losers = Expectation.refused("expired", "replayed")
                for handoff in handoffs {
                    // The redemptions are spread over the seconds around the expiry.
                    let request = context.redeem(handoff.code, handoff.flow)
                    await context.volley(
                        [request, request, request], winners: 0...1, losers: losers, at: [server.wire])
                    try await Task.sleep(for: .milliseconds(120))
                }
                try await context.move(server, by: 64)
                for handoff in handoffs {
                    await context.fire(
                        context.redeem(handoff.code, handoff.flow), expecting: losers, at: server.wire)
                }
            }
        },
        .attack(
            "HO-13", "A redemption is tried while the server still waits for the provider's token response.",
            oracle:
                """
                The server responds with code_rejected to the state and the provider's code; the handoff code \
                then works.
                """,
            source: "state machine", needs: [.standIns, .browserFlow]
        ) { context in
            let flow = try await context.begin()
            let target = try await context.approve(flow)
            try await context.standIns.fault(["target": "yahoo.token", "delay_ms": 600, "times": 1])
            let request = await context.callback(target, in: flow.browser)
            let guesses = [flow.providerState ?? "", PercentEncoding.parameter("code", of: target) ?? ""]
            async let pending = context.honest(request, status: 303)
            try await Task.sleep(for: .milliseconds(200))
            for guess in guesses {
                await context.fire(context.redeem(guess, flow), expecting: .refused("code_rejected"))
            }
            let finished = try await pending
            for guess in guesses {
                await context.fire(context.redeem(guess, flow), expecting: .refused("code_rejected"))
            }
            try await context.mustStillWork(context.redeem(finished.redirected("code") ?? "", flow))
        },
    )
}
