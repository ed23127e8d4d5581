extension Catalogue {
    static let times = Section(.crash, .critical, needs: [.processes, .clock, .sessions, .browserFlow]).attacks(
        .attack(
            "CR-05a",
            "Everything is used; yesterday's copy of the store, which knows nothing of it, is put back a day later.",
            oracle: "All has expired by itself: nothing older than its lifetime is accepted, whatever the store says.",
            source: "replay by restore"
        ) { strike in
            try await strike.onOwnServer("restored") { there, server, bed in
                let (code, flow) = try await there.handoff(user: "carol")
                let started = try await there.begin()
                let callback = await there.callback(try await there.approve(started), in: started.browser)
                let requests = [
                    try await there.genuine().request, try await there.sessionExchange(), there.redeem(code, flow),
                ]
                await bed.stop(server)
                try there.copyDatabase(of: server, from: "", to: "-backup")
                try await bed.restart(server)
                for request in requests { try await there.honest(request) }
                try await there.honest(callback, status: 303)
                await bed.stop(server)
                try there.copyDatabase(of: server, from: "-backup", to: "")
                try await bed.restart(server, clockOffset: 86_400)
                for request in requests {
                    await there.fire(
                        request,
                        expecting: .refused("expired", "too_old", "replayed", "issued_unwatched", "code_rejected"))
                }
                await there.fire(callback, expecting: .page(400))
            }
        },
        .attack(
            "CR-05b", "The same with a copy that is put back eleven minutes later.",
            oracle: "Nonces, sessions, flows and handoff codes have expired.", source: "replay by restore"
        ) { strike in
            try await strike.onOwnServer("restored") { there, server, bed in
                let (code, flow) = try await there.handoff(user: "carol")
                let requests = [
                    try await there.genuine().request, try await there.sessionExchange(), there.redeem(code, flow),
                ]
                await bed.stop(server)
                try there.copyDatabase(of: server, from: "", to: "-backup")
                try await bed.restart(server)
                for request in requests { try await there.honest(request) }
                await bed.stop(server)
                try there.copyDatabase(of: server, from: "-backup", to: "")
                try await bed.restart(server, clockOffset: 665)
                for request in requests {
                    await there.fire(
                        request, expecting: .refused("expired", "too_old", "issued_unwatched", "code_rejected"))
                }
            }
        },
        .attack(
            "CR-06a", "Credentials are used; the clock goes an hour ahead, until all has expired, and back again.",
            oracle:
                "503 clock_behind: the store has seen a later time, and takes nothing until the clock is there again.",
            source: "CWE-367; NTP"
        ) { strike in
            try await strike.onOwnServer("back") { there, server, bed in
                let (code, flow) = try await there.handoff(user: "carol")
                let requests = [
                    try await there.genuine().request, try await there.sessionExchange(), there.redeem(code, flow),
                ]
                for request in requests { try await there.honest(request) }
                await bed.stop(server)
                try await bed.restart(server, clockOffset: 3500)
                for request in requests { await there.fire(request, expecting: .refused()) }
                await bed.stop(server)
                try await bed.restart(server, isReady: false)
                await there.expectReadiness(503, of: server)
                await there.fire(.get("/healthz"), expecting: .status(200), at: server.admin)
                for request in requests {
                    await there.fire(request, expecting: .clockBehind.or(.refused("replayed", "issued_unwatched")))
                }
            }
        },
        .attack(
            "CR-06b", "The clock is an hour behind, and what was used before comes again.",
            oracle: "Refused: used, from the future, or 503 clock_behind.", source: "CWE-367; VM resume"
        ) { strike in
            try await strike.onOwnServer("behind") { there, server, bed in
                let (code, flow) = try await there.handoff(user: "carol")
                let requests = [
                    try await there.genuine().request, try await there.sessionExchange(), there.redeem(code, flow),
                ]
                for request in requests { try await there.honest(request) }
                let unused = try await there.genuine().request
                await bed.stop(server)
                try await bed.restart(server, clockOffset: -3600, isReady: false)
                for request in requests { await there.fire(request, expecting: .clockBehind.or(.refused())) }
                await there.fire(unused, expecting: .clockBehind.or(.refused("not_yet_valid", "nonce_mismatch")))
            }
        },
        .attack(
            "CR-07", "The clock goes an hour ahead while flows are under way, and back again.", severity: .high,
            oracle: "They end as expired; then 503 clock_behind, since the store has seen a later time.",
            source: "CWE-367; NTP"
        ) { strike in
            try await strike.onOwnServer("ahead") { there, server, bed in
                let (code, flow) = try await there.handoff(user: "carol")
                let started = try await there.begin()
                let callback = await there.callback(try await there.approve(started), in: started.browser)
                let requests = [
                    try await there.genuine().request, try await there.sessionExchange(), there.redeem(code, flow),
                ]
                await bed.stop(server)
                try await bed.restart(server, clockOffset: 3600)
                for request in requests {
                    await there.fire(
                        request, expecting: .refused("expired", "too_old", "issued_unwatched", "code_rejected"))
                }
                await there.fire(callback, expecting: .page(400))
                await bed.stop(server)
                try await bed.restart(server, isReady: false)
                for request in requests { await there.fire(request, expecting: .clockBehind.or(.refused())) }
            }
        },
    )
}
