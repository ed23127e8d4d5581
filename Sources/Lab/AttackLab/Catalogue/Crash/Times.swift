extension Catalogue {
    static let times = Section(.crash, .critical, needs: [.processes, .clock, .sessions, .browserFlow]).attacks(
        .attack(
            "CR-05a",
            "Credentials are used, and a copy of the store from before is restored a day later.",
            oracle: "The server refuses them as expired: it checks their age independently of the store.",
            source: "replay by restore"
        ) { context in
            try await context.onOwnServer("restored") { target, server, bed in
                let callback = try await target.unusedCallback()
                let requests = try await target.unusedCredentials()
                try await bed.stopWatched(server)
                try target.copyDatabase(of: server, from: "", to: "-backup")
                try await bed.restart(server)
                for request in requests { try await target.honest(request) }
                try await target.honest(callback, status: 303)
                await bed.stop(server)
                try target.copyDatabase(of: server, from: "-backup", to: "")
                try await bed.restart(server, clockOffset: 86_400)
                for request in requests {
                    await target.fire(
                        request,
                        expecting: .refused("expired", "too_old", "replayed", "issued_unwatched", "code_rejected"))
                }
                await target.fire(callback, expecting: .page(400))
            }
        },
        .attack(
            "CR-05b",
            """
            Nonces, sessions, flows and handoff codes are used, and an older copy of the store is restored \
            eleven minutes later.
            """,
            oracle: "The server refuses all of them as expired.", source: "replay by restore"
        ) { context in
            try await context.onOwnServer("restored") { target, server, bed in
                let requests = try await target.unusedCredentials()
                try await bed.stopWatched(server)
                try target.copyDatabase(of: server, from: "", to: "-backup")
                try await bed.restart(server)
                for request in requests { try await target.honest(request) }
                await bed.stop(server)
                try target.copyDatabase(of: server, from: "-backup", to: "")
                try await bed.restart(server, clockOffset: 665)
                for request in requests {
                    await target.fire(
                        request, expecting: .refused("expired", "too_old", "issued_unwatched", "code_rejected"))
                }
            }
        },
        .attack(
            "CR-06a", "Credentials are used; the clock is set an hour ahead, until they have expired, and then back.",
            oracle:
                "The server responds with 503 clock_behind until the clock reaches the latest time in the store.",
            source: "CWE-367; NTP"
        ) { context in
            try await context.onOwnServer("back") { target, server, bed in
                let requests = try await target.unusedCredentials()
                for request in requests { try await target.honest(request) }
                await bed.stop(server)
                try await bed.restart(server, clockOffset: 3500)
                for request in requests { await target.fire(request, expecting: .refused()) }
                await bed.stop(server)
                try await bed.restart(server, isReady: false)
                await target.expectReadiness(503, of: server)
                await target.fire(.get("/healthz"), expecting: .status(200), at: server.admin)
                for request in requests {
                    await target.fire(request, expecting: .clockBehind.or(.refused("replayed", "issued_unwatched")))
                }
            }
        },
        .attack(
            "CR-06b", "The clock is set an hour back, and used credentials are sent again.",
            oracle: "The server refuses them as used or as issued in the future, or responds with 503 clock_behind.",
            source: "CWE-367; VM resume"
        ) { context in
            try await context.onOwnServer("behind") { target, server, bed in
                let requests = try await target.unusedCredentials()
                for request in requests { try await target.honest(request) }
                let unused = try await target.genuine().request
                await bed.stop(server)
                try await bed.restart(server, clockOffset: -3600, isReady: false)
                for request in requests { await target.fire(request, expecting: .clockBehind.or(.refused())) }
                await target.fire(unused, expecting: .clockBehind.or(.refused("not_yet_valid", "nonce_mismatch")))
            }
        },
        .attack(
            "CR-07", "The clock is set an hour ahead during flows, and then back.", severity: .high,
            oracle: "The flows end as expired; then the server responds with 503 clock_behind.",
            source: "CWE-367; NTP"
        ) { context in
            try await context.onOwnServer("ahead") { target, server, bed in
                let callback = try await target.unusedCallback()
                let requests = try await target.unusedCredentials()
                await bed.stop(server)
                try await bed.restart(server, clockOffset: 3600)
                for request in requests {
                    await target.fire(
                        request, expecting: .refused("expired", "too_old", "issued_unwatched", "code_rejected"))
                }
                await target.fire(callback, expecting: .page(400))
                await bed.stop(server)
                try await bed.restart(server, isReady: false)
                for request in requests { await target.fire(request, expecting: .clockBehind.or(.refused())) }
            }
        },
    )
}
