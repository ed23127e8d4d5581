internal import Jansson

/// Stores that are put back, lost, or not there for a while, and clocks that lie before what a store has seen.
enum UnwatchedTimes {
    static let all: [Attack] = lost + behind + missing

    /// Every restart is some seconds later: a time of issue has whole seconds.
    private static let later: Int64 = 20

    private static let lost = Section(.crash, .critical, needs: [.processes, .clock, .sessions, .browserFlow]).attacks(
        .attack(
            "CR-15a", "Everything is used, the server is killed, and a copy of the store from before is put back.",
            oracle:
                "issued_unwatched with retry restart: the store has not seen what happened after the copy was made.",
            source: "replay by restore"
        ) { strike in
            try await strike.onOwnServer("copied") { there, server, bed in
                await bed.stop(server)
                try there.copyDatabase(of: server, from: "", to: "-backup")
                try await bed.restart(server)
                try await there.expectNothingTwice {
                    await bed.kill(server)
                    try there.copyDatabase(of: server, from: "-backup", to: "")
                    try await bed.restart(server, clockOffset: later)
                }
            }
        },
        .attack(
            "CR-15b", "Everything is used, the server is killed, and the file of the store deleted.",
            oracle: "issued_unwatched with retry restart: a new store has seen nothing.", source: "replay by loss"
        ) { strike in
            try await strike.onOwnServer("deleted") { there, server, bed in
                try await there.expectNothingTwice {
                    await bed.kill(server)
                    try there.deleteDatabase(of: server)
                    try await bed.restart(server, clockOffset: later)
                }
            }
        },
        .attack(
            "CR-15c", "ID tokens that were issued while the server was down come when it is up again.",
            oracle: "issued_unwatched at EXCHANGE and at the token endpoint; one of now signs in.",
            source: "replay by failover", needs: [.standIns, .processes, .clock, .tokenExchange]
        ) { strike in
            try await strike.onOwnServer("down") { there, server, bed in
                var nonces: [(nonce: String, verifier: String)] = []
                for _ in 0..<3 { nonces.append(try await there.nonce()) }
                try await bed.stopWatched(server)
                let stopped = there.lab.now
                try await bed.restart(server, clockOffset: 120)
                var tokens: [String] = []
                for (issued, nonce) in zip([stopped + 30, stopped + 60, stopped + 121], nonces) {
                    var draft = try await there.draft(nonce: nonce.nonce)
                    draft.claims["iat"] = .number(issued)
                    draft.claims["auth_time"] = .number(issued)
                    tokens.append(try await draft.token(by: there.standIns))
                }
                let reply = await there.fire(
                    there.exchange(idToken: tokens[0], nonce: nonces[0].verifier),
                    expecting: .refused("issued_unwatched"))
                await there.expect(
                    reply.answer?["retry"] == "restart", .wrongAnswer, "The application is not told to begin again.")
                await there.fire(
                    there.tokenExchange(tokens[1], nonce: nonces[1].verifier),
                    expecting: .badSubject(["issued_unwatched"]))
                try await there.honest(there.exchange(idToken: tokens[2], nonce: nonces[2].verifier))
            }
        },
    )

    private static let behind = Section(.crash, .critical, needs: [.standIns, .processes, .clock]).attacks(
        .attack(
            "CR-16", "The clock was an hour ahead while the server ran, and is right again.",
            oracle: "503 clock_behind with retry same, and /readyz says it; a minute behind is tolerated.",
            source: "CWE-367; NTP"
        ) { strike in
            try await strike.onOwnServer("hour") { there, server, bed in
                let (used, unused) = (try await there.genuine().request, try await there.genuine().request)
                try await there.honest(used)
                await bed.stop(server)
                try await bed.restart(server, clockOffset: 3600)
                await bed.stop(server)
                try await bed.restart(server, isReady: false)
                for request in [unused, used] {
                    let reply = await there.fire(request, expecting: .clockBehind)
                    await there.expect(
                        reply.answer?["retry"] == "same", .wrongAnswer, "The refusal is not to be retried.")
                }
                let readiness = await there.expectReadiness(503, of: server)
                await there.expect(
                    readiness?.text.contains("clock_behind") == true, .wrongAnswer,
                    "/readyz does not say clock_behind.")
                await there.fire(.get("/healthz"), expecting: .status(200), at: server.admin)
                await bed.stop(server)
                // Half a minute before the store's time.
                try await bed.restart(server, clockOffset: 3570)
                await there.fire(used, expecting: .refused())
            }
        },
    )

    private static let missing = Section(.crash, .high, needs: [.standIns, .processes, .clock]).attacks(
        .attack(
            "CR-17", "The file of the store is deleted, and the key beside it says that there was one.",
            oracle: "Exit code 78 with a way out; with --new-store it starts, and nothing old is accepted.",
            source: "replay by loss"
        ) { strike in
            let bed = try strike.lab.needed(strike.lab.testBed, "processes")
            var plan = ServerPlan("cr-17-own-keys")
            plan.set("seal_keys", nil)
            plan.set("store_keys", nil)
            plan.set("server/public_url", .string(strike.lab.server.base))
            let server = try await bed.server(plan)
            let there = strike.on(server)
            let (request, _) = try await there.genuine()
            try await there.honest(request)
            await bed.stop(server)
            try there.deleteDatabase(of: server)
            let (exitCode, output) = try await bed.refusal(plan)
            await strike.expect(exitCode == 78, .wrongAnswer, "It ended with \(exitCode.map { "\($0)" } ?? "nothing").")
            await strike.expect(output.contains("--new-store"), .wrongAnswer, "The way out is not named.")
            plan.flags = ["--new-store"]
            plan.clockOffset = later
            try await strike.withServer(plan) { fresh in
                await strike.fire(request, expecting: .used, at: fresh.wire)
                try await strike.standIns.setClock(offset: later)
                let proof = try await strike.on(fresh).genuine().request
                try await strike.mustStillWork(proof, at: fresh.wire)
            }
        },
        .attack(
            "CR-18", "The server is told to end (SIGTERM) while a load balancer still sends to it.", severity: .medium,
            oracle: "/readyz says 503 first, and the public listener goes on serving for drain_delay.",
            source: "token-exchange API: drain_delay", needs: [.standIns, .processes]
        ) { strike in
            try await strike.onOwnServer("leaving") {
                $0.set("server/drain_delay", "1m")
            } _: { there, server, bed in
                await bed.send(15, to: server)
                await there.expectReadiness(503, of: server)
                try await there.mustStillWork(there.nonceRequest)
                try await there.mustStillWork(try await there.genuine().request)
            }
        },
    )
}

extension Strike {
    /// Uses a credential of each kind, lets the store lose its memory of that, and posts all of them again.
    ///
    /// - `losing`: what ends with the server up again, twenty seconds later.
    fileprivate func expectNothingTwice(after losing: () async throws -> Void) async throws {
        let (code, flow) = try await handoff(user: "carol")
        let started = try await begin()
        let callback = await callback(try await approve(started), in: started.browser)
        let (unusedNonce, verifier) = try await nonce()
        let sealed = [try await genuine().request, try await sessionExchange()]
        for request in sealed + [redeem(code, flow)] { try await honest(request) }
        try await honest(callback, status: 303)
        try await losing()
        for request in sealed {
            let reply = await fire(request, expecting: .used)
            await expect(
                reply.answer?["reason"] == "replayed" || reply.answer?["retry"] == "restart", .wrongAnswer,
                "The application is not told to begin again.")
        }
        await fire(redeem(code, flow), expecting: .refused("code_rejected", "replayed"))
        let reply = await fire(callback, expecting: .status(303, 400))
        await expect(reply.answer?.redirected("code") == nil, .minted, "A flow from before ended a second time.")
        // Not even what was never used: the store cannot tell.
        try await standIns.setClock(offset: 20)
        let issued = try await standIns.issue([
            "provider": "yahoo.com", "user": "alice", "nonce": .string(unusedNonce),
        ])
        await fire(exchange(idToken: issued["id_token"]?.string ?? "", nonce: verifier), expecting: .used)
        try await mustStillWork(try await genuine().request)
    }
}
