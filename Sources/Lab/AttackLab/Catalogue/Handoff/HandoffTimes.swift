extension Catalogue {
    static let handoffTimes = Section(.handoff, .high, needs: [.standIns, .browserFlow, .processes, .clock]).attacks(
        .attack(
            "HO-05", "A handoff code is redeemed after its sixty seconds.", oracle: "expired; just before, it is good.",
            source: "RFC 9700 4.2.4; RFC 6749 4.1.2"
        ) { strike in
            try await strike.withServer(strike.lonePlan()) { server in
                let (early, first) = try await strike.handoff(at: server.wire)
                let (late, second) = try await strike.handoff(at: server.wire)
                try await strike.move(server, by: 45)
                try await strike.mustStillWork(strike.redeem(early, first), at: server.wire)
                try await strike.move(server, by: 62)
                await strike.fire(strike.redeem(late, second), expecting: .refused("expired"), at: server.wire)
                try await strike.move(server, by: 4000)
                await strike.fire(
                    strike.redeem(late, second), expecting: .refused("expired", "code_rejected"), at: server.wire)
                await strike.fire(
                    strike.redeem(early, first), expecting: .refused("expired", "code_rejected", "replayed"),
                    at: server.wire)
            }
        },
        .attack(
            "HO-05a", "A handoff code is kept for a minute and redeemed then, by the server's own clock.",
            oracle: "expired.", source: "RFC 9700 4.2.4", needs: [.standIns, .browserFlow, .patience],
            reveals: [.handoffForever]
        ) { strike in
            let (code, flow) = try await strike.handoff()
            try await Task.sleep(for: .seconds(61.5))
            await strike.fire(strike.redeem(code, flow), expecting: .refused("expired"))
        },
        .attack(
            "HO-14", "Twelve handoff codes are redeemed twice each in the second in which they expire.",
            severity: .critical, oracle: "A success or expired or replayed for each, never two successes, never a 500.",
            source: "SR-07", needs: [.standIns, .browserFlow, .processes, .clock, .bulk, .patience]
        ) { strike in
            try await strike.withServer(strike.lonePlan()) { server in
                var handoffs: [(code: String, flow: Flow)] = []
                for _ in 0..<12 { handoffs.append(try await strike.handoff(at: server.wire)) }
                try await strike.move(server, by: 57)
                let losers = Expectation.refused("expired", "replayed")
                for handoff in handoffs {
                    // Spread over the seconds around the end.
                    let request = strike.redeem(handoff.code, handoff.flow)
                    await strike.volley([request, request, request], winners: 0...1, losers: losers, at: [server.wire])
                    try await Task.sleep(for: .milliseconds(120))
                }
                try await strike.move(server, by: 64)
                for handoff in handoffs {
                    await strike.fire(
                        strike.redeem(handoff.code, handoff.flow), expecting: losers, at: server.wire)
                }
            }
        },
        .attack(
            "HO-13", "A redemption is tried while the provider has not yet answered the callback.",
            oracle: "code_rejected: state and provider's code are no handoff codes; then the true one is good.",
            source: "state machine", needs: [.standIns, .browserFlow]
        ) { strike in
            let flow = try await strike.begin()
            let target = try await strike.approve(flow)
            try await strike.standIns.fault(["target": "yahoo.token", "delay_ms": 600, "times": 1])
            let request = await strike.callback(target, in: flow.browser)
            let guesses = [flow.providerState ?? "", strike.parameter("code", of: target)]
            async let pending = strike.honest(request, status: 303)
            try await Task.sleep(for: .milliseconds(200))
            for guess in guesses {
                await strike.fire(strike.redeem(guess, flow), expecting: .refused("code_rejected"))
            }
            let finished = try await pending
            for guess in guesses {
                await strike.fire(strike.redeem(guess, flow), expecting: .refused("code_rejected"))
            }
            try await strike.mustStillWork(strike.redeem(finished.redirected("code") ?? "", flow))
        },
    )
}
