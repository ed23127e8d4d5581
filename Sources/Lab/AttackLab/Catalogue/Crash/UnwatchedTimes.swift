internal import Foundation
internal import Jansson

/// Stores that are restored, lost or unavailable for a time, and clocks before the latest time in the store.
enum UnwatchedTimes {
    static let all: [Attack] = lost + behind + missing

    /// The delay of each restart; times of issue have a resolution of one second.
    private static let later: Int64 = 20

    private static let lost = Section(.crash, .critical, needs: [.processes, .clock, .sessions, .browserFlow]).attacks(
        .attack(
            "CR-15a", "Credentials are used, the server is killed, and an older copy of the store is restored.",
            oracle:
                "The server responds with issued_unwatched and `retry: restart`: the store lacks later records.",
            source: "replay by restore"
        ) { context in
            try await context.onOwnServer("copied") { target, server, bed in
                await bed.stop(server)
                try target.copyDatabase(of: server, from: "", to: "-backup")
                try await bed.restart(server)
                try await target.expectNothingTwice {
                    await bed.kill(server)
                    try target.copyDatabase(of: server, from: "-backup", to: "")
                    try await bed.restart(server, clockOffset: later)
                }
            }
        },
        .attack(
            "CR-15b", "Credentials are used, the server is killed, and the file of the store is deleted.",
            oracle: "The server responds with issued_unwatched and `retry: restart`: a new store has no records.",
            source: "replay by loss"
        ) { context in
            try await context.onOwnServer("deleted") { target, server, bed in
                try await target.expectNothingTwice {
                    await bed.kill(server)
                    try target.deleteDatabase(of: server)
                    try await bed.restart(server, clockOffset: later)
                }
            }
        },
        .attack(
            "CR-15c", "ID tokens that were issued while the server was down are posted after its restart.",
            oracle: "The server responds with issued_unwatched at /v1/exchange and /token; it accepts a new ID token.",
            source: "replay by failover", needs: [.standIns, .processes, .clock, .tokenExchange]
        ) { context in
            try await context.onOwnServer("down") { target, server, bed in
                var nonces: [(nonce: String, verifier: String)] = []
                for _ in 0..<3 { nonces.append(try await target.nonce()) }
                try await bed.stopWatched(server)
                let stopped = target.lab.now
                try await bed.restart(server, clockOffset: 120)
                var tokens: [String] = []
                for (issued, nonce) in zip([stopped + 30, stopped + 60, stopped + 121], nonces) {
                    var draft = try await target.draft(nonce: nonce.nonce)
                    draft.claims["iat"] = .number(issued)
                    draft.claims["auth_time"] = .number(issued)
                    tokens.append(try await draft.token(by: target.standIns))
                }
                let reply = await target.fire(
                    target.exchange(idToken: tokens[0], nonce: nonces[0].verifier),
                    expecting: .refused("issued_unwatched"))
                await target.expect(
                    reply.answer?["retry"] == "restart", .wrongAnswer,
                    "The response does not tell the application to begin again.")
                await target.fire(
                    target.tokenExchange(tokens[1], nonce: nonces[1].verifier),
                    expecting: .badSubject(["issued_unwatched"]))
                try await target.honest(target.exchange(idToken: tokens[2], nonce: nonces[2].verifier))
            }
        },
    )

    private static let behind = Section(.crash, .critical, needs: [.standIns, .processes, .clock]).attacks(
        .attack(
            "CR-16", "The clock was an hour ahead while the server ran, and is now right.",
            oracle:
                """
                The server responds with 503 clock_behind and `retry: same`, also at /readyz; it tolerates \
                half a minute.
                """,
            source: "CWE-367; NTP"
        ) { context in
            try await context.onOwnServer("hour") { target, server, bed in
                let (used, unused) = (try await target.genuine().request, try await target.genuine().request)
                try await target.honest(used)
                await bed.stop(server)
                try await bed.restart(server, clockOffset: 3600)
                await bed.stop(server)
                try await bed.restart(server, isReady: false)
                for request in [unused, used] {
                    let reply = await target.fire(request, expecting: .clockBehind)
                    await target.expect(
                        reply.answer?["retry"] == "same", .wrongAnswer, "The response does not say `retry: same`.")
                }
                let readiness = await target.expectReadiness(503, of: server)
                await target.expect(
                    readiness?.text.contains("clock_behind") == true, .wrongAnswer,
                    "/readyz does not report clock_behind.")
                await target.fire(.get("/healthz"), expecting: .status(200), at: server.admin)
                await bed.stop(server)
                // Half a minute before the latest time in the store.
                try await bed.restart(server, clockOffset: 3570)
                await target.fire(used, expecting: .refused())
            }
        },
    )

    private static let missing = Section(.crash, .high, needs: [.standIns, .processes, .clock]).attacks(
        .attack(
            "CR-17", "The file of the store is deleted, and the key file beside it shows that a store existed.",
            oracle:
                """
                The server exits with code 78 and names --new-store; with that option it starts and accepts \
                nothing old.
                """,
            source: "replay by loss"
        ) { context in
            let bed = try context.testBed
            var plan = ServerPlan("cr-17-own-keys")
            plan.set("seal_keys", nil)
            plan.set("store_keys", nil)
            plan.set("server/public_url", .string(context.lab.server.base))
            let server = try await bed.server(plan)
            let target = context.on(server)
            let (request, _) = try await target.genuine()
            try await target.honest(request)
            await bed.stop(server)
            try target.deleteDatabase(of: server)
            let (exitCode, output) = try await bed.refusal(plan)
            await context.expect(
                exitCode == 78, .wrongAnswer, "The server exited with \(exitCode.map { "\($0)" } ?? "nothing").")
            await context.expect(
                output.contains("--new-store"), .wrongAnswer, "The error output does not name --new-store.")
            plan.flags = ["--new-store"]
            plan.clockOffset = later
            try await context.withServer(plan) { fresh in
                await context.fire(request, expecting: .used, at: fresh.wire)
                try await context.standIns.setClock(offset: later)
                let proof = try await context.on(fresh).genuine().request
                try await context.mustStillWork(proof, at: fresh.wire)
            }
        },
        .sweep(
            "CR-19", "The key file beside the store is deleted, and the server starts again.",
            oracle:
                "The server exits with code 78 and names the file. It makes no other key, with which no second factor opens.",
            source: "loss of keys", over: ["seal-key", "store-key"]
        ) { context, name in
            let bed = try context.testBed
            var plan = ServerPlan("cr-19-\(name)")
            plan.set("seal_keys", nil)
            plan.set("store_keys", nil)
            plan.set("server/public_url", .string(context.lab.server.base))
            let server = try await bed.server(plan)
            try await context.on(server).honest(try await context.on(server).genuine().request)
            await bed.stop(server)
            let path = "\(bed.folder)/\(server.name).db.\(name)"
            try FileManager.default.removeItem(atPath: path)
            let (exitCode, output) = try await bed.refusal(plan)
            await context.expect(
                exitCode == 78, .wrongAnswer, "The server exited with \(exitCode.map { "\($0)" } ?? "nothing").")
            await context.expect(output.contains(path), .wrongAnswer, "The error output does not name the file.")
            await context.expect(
                !FileManager.default.fileExists(atPath: path), .wrongAnswer, "The server made another key.")
        },
        .attack(
            "CR-18", "The server gets SIGTERM while a load balancer still sends requests to it.", severity: .medium,
            oracle: "/readyz responds with 503 first, and the public listener keeps serving for drain_delay.",
            source: "token-exchange API: drain_delay", needs: [.standIns, .processes]
        ) { context in
            try await context.onOwnServer("leaving") {
                $0.set("server/drain_delay", "1m")
            } _: { target, server, bed in
                await bed.send(15, to: server)
                await target.expectReadiness(503, of: server)
                try await target.mustStillWork(target.nonceRequest)
                try await target.mustStillWork(try await target.genuine().request)
            }
        },
    )
}

extension AttackContext {
    /// Uses a credential of each kind, makes the store lose the records, and posts all of them again.
    ///
    /// `losing` removes the records and restarts the server twenty seconds later.
    fileprivate func expectNothingTwice(after losing: () async throws -> Void) async throws {
        let (code, flow) = try await handoff(user: "carol")
        let callback = try await unusedCallback()
        let (unusedNonce, verifier) = try await nonce()
        let sealed = [try await genuine().request, try await sessionExchange()]
        for request in sealed + [redeem(code, flow)] { try await honest(request) }
        try await honest(callback, status: 303)
        try await losing()
        for request in sealed {
            let reply = await fire(request, expecting: .used)
            await expect(
                reply.answer?["reason"] == "replayed" || reply.answer?["retry"] == "restart", .wrongAnswer,
                "The response does not tell the application to begin again.")
        }
        await fire(redeem(code, flow), expecting: .refused("code_rejected", "replayed"))
        let reply = await fire(callback, expecting: .status(303, 400))
        await expect(reply.answer?.redirected("code") == nil, .minted, "An old flow was finished a second time.")
        // Unused credentials are refused, too: the store cannot prove that they are unused.
        try await standIns.setClock(offset: 20)
        let issued = try await standIns.issue([
            "provider": "yahoo.com", "user": "alice", "nonce": .string(unusedNonce),
        ])
        await fire(exchange(idToken: issued["id_token"]?.string ?? "", nonce: verifier), expecting: .used)
        try await mustStillWork(try await genuine().request)
    }
}
