extension Catalogue {
    static let handoffReplays = Section(.handoff, .critical, needs: [.standIns, .browserFlow]).attacks(
        .sweep(
            "HO-01", "A recorded redemption with code and verifier is sent a second time.",
            oracle: "The first redemption succeeds; later ones get replayed, whatever their address.",
            source: "CVE-2025-46815; RFC 6749 4.1.2",
            reveals: [.handoffReused], over: ["yahoo.com", "twitter.com"]
        ) { context, provider in
            let (code, flow) = try await context.handoff(provider: provider)
            let request = context.redeem(code, flow)
            try await context.honest(request)
            await context.fire(request, expecting: .refused("replayed"))
            await context.fire(
                request.with("User-Agent", "another").with("X-Forwarded-For", "192.0.2.7"),
                expecting: .refused("replayed"))
        },
        .attack(
            "HO-02", "A handoff code is redeemed a hundred times concurrently.",
            oracle: "Exactly one redemption succeeds; 99 are refused.",
            source: "CVE-2026-53518; CVE-2026-47386; SUPA TestAuthCodeReplayRace; GHSA-r3xq-68wh-gwvh",
            needs: [.standIns, .browserFlow, .bulk], reveals: [.handoffReused, .checkThenAct]
        ) { context in
            let (code, flow) = try await context.handoff()
            let requests = [Request](repeating: context.redeem(code, flow), count: 100)
            await context.volley(requests, losers: .refused("replayed", "code_rejected"))
        },
        .attack(
            "HO-02a", "A handoff code is redeemed a hundred times concurrently at two servers that share a store.",
            oracle: "Exactly one redemption succeeds; 99 get replayed.", source: "CVE-2026-53518; CVE-2026-47386",
            needs: [.standIns, .browserFlow, .bulk, .processes]
        ) { context in
            try await context.withTwin { twin in
                for _ in 0..<2 {
                    let (code, flow) = try await context.handoff()
                    let requests = [Request](repeating: context.redeem(code, flow), count: 100)
                    await context.volley(
                        requests, losers: .refused("replayed"), at: [context.lab.server, twin.wire])
                }
            }
        },
        .attack(
            "HO-02b", "A handoff code is redeemed at a server other than the one that issued it.",
            oracle: "The redemption succeeds once there; afterwards both servers refuse the code.",
            source: "CVE-2026-9802",
            needs: [.standIns, .browserFlow, .processes]
        ) { context in
            try await context.withTwin { twin in
                let (code, flow) = try await context.handoff()
                let request = context.redeem(code, flow)
                try await context.honest(request, at: twin.wire)
                await context.fire(request, expecting: .refused("replayed"))
                await context.fire(request, expecting: .refused("replayed"), at: twin.wire)
            }
        },
        .attack(
            "HO-02c", "Right and wrong verifiers for one code are sent concurrently.",
            oracle: "At most one redemption succeeds; all others get 400.", source: "CVE-2026-53518",
            needs: [.standIns, .browserFlow, .bulk], reveals: [.handoffReused, .checkThenAct]
        ) { context in
            let (code, flow) = try await context.handoff()
            let wrong = context.redeem(code, flow) { $0.set("code_verifier", AttackContext.plainVerifier) }
            let right = context.redeem(code, flow)
            let requests = (0..<40).map { $0.isMultiple(of: 10) ? wrong : right }
            await context.volley(
                requests, winners: 0...1, losers: .refused("replayed", "pkce_mismatch", "code_rejected"))
        },
        .attack(
            "HO-17", "Two redemptions of one code are pipelined in one TCP segment.",
            oracle: "One redemption succeeds; the other gets replayed.", source: "request pipelining; RFC 9112 9.3.2",
            reveals: [.handoffReused]
        ) { context in
            let (code, flow) = try await context.handoff()
            let wire = context.lab.server
            let request = context.redeem(code, flow).with("Connection", "keep-alive")
            let bytes = request.bytes(host: wire.host)
            let connection = try await WireConnection(to: wire, from: context.source, within: .seconds(5))
            try await connection.send(bytes + bytes)
            var answers: [Answer] = []
            for _ in 0..<2 {
                if let answer = await connection.answer(to: "POST", within: .seconds(5)).answer {
                    answers.append(answer)
                }
            }
            let won = answers.filter { $0["access_token"] != nil }
            for answer in won { await context.secret(answer["access_token"]) }
            await context.expect(
                won.count == 1, .raced, "\(won.count) of two pipelined redemptions succeeded.")
            await context.expect(
                answers.allSatisfy { $0.status == 200 || $0["reason"] == "replayed" }, .wrongAnswer,
                "The response to a pipelined redemption was neither 200 nor replayed.")
        },
        .attack(
            "HO-18", "A redemption is sent again after the server was killed and restarted.",
            oracle: "The server responds with replayed: it records used codes on disk.",
            source: "CVE-2026-9802; CVE-2026-5774",
            needs: [.standIns, .browserFlow, .processes]
        ) { context in
            let bed = try context.testBed
            try await context.withServer(context.lonePlan()) { server in
                let (code, flow) = try await context.handoff(at: server.wire)
                let (waiting, other) = try await context.handoff(at: server.wire)
                try await context.honest(context.redeem(code, flow), at: server.wire)
                await bed.kill(server)
                try await bed.restart(server)
                await context.fire(context.redeem(code, flow), expecting: .refused("replayed"), at: server.wire)
                // The kill can leave the code used without a response; it must never be redeemed twice.
                _ = await server.wire.send(context.redeem(waiting, other), from: context.source)
                await context.fire(
                    context.redeem(waiting, other), expecting: .refused("replayed", "code_rejected"), at: server.wire)
            }
        },
    )
}
