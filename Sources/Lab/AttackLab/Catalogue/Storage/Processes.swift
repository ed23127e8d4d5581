internal import Jansson

extension Catalogue {
    static let processes = Section(.storage, .critical, needs: [.standIns, .processes, .bulk]).attacks(
        .attack(
            "SR-03a", "One ID token is posted 200 times to two processes that share a store.",
            oracle: "Exactly one request signs in.", source: "sqlite.org/lang_transaction"
        ) { context in
            try await context.withTwin { twin in
                let (request, _) = try await context.genuine()
                await context.volley(
                    Array(repeating: request, count: 200), losers: .refused("replayed").or(.storeUnavailable),
                    at: [context.lab.server, twin.wire])
                await context.fire(request, expecting: .refused("replayed"), at: twin.wire)
                await context.fire(request, expecting: .refused("replayed"))
            }
        },
        .attack(
            "SR-03b", "A handoff code of one process is redeemed 200 times concurrently at two processes.",
            oracle: "Exactly one request signs in.", source: "SUPA flow_state.go",
            needs: [.processes, .bulk, .browserFlow]
        ) { context in
            try await context.withTwin { twin in
                let (code, flow) = try await context.handoff()
                await context.volley(
                    Array(repeating: context.redeem(code, flow), count: 200),
                    losers: .refused("replayed").or(.storeUnavailable), at: [twin.wire, context.lab.server])
            }
        },
        .attack(
            "SR-03c", "Sixty users sign in concurrently at two processes, which all write to the store.",
            severity: .high,
            oracle: "All users sign in: writers wait for one another, and none is refused as busy.",
            source: "SQLITE_BUSY_SNAPSHOT; sqlite.org/rescode"
        ) { context in
            try await context.withTwin { twin in
                var requests: [Request] = []
                for number in 0..<60 {
                    requests.append(try await context.forged(subject: "WRITER\(context.lab.now)N\(number)") { _ in })
                }
                await context.volley(
                    requests, winners: 60...60, losers: .storeUnavailable, at: [context.lab.server, twin.wire])
            }
        },
        .attack(
            "SR-05",
            "A handoff code, an ID token and a nonce are posted 200 times each to two processes with one database server.",
            oracle: "The server accepts each once: a statement that waited for a row lock checks the row again.",
            source: "READ COMMITTED",
            needs: [.standIns, .processes, .bulk, .browserFlow, .databaseServer]
        ) { context in
            try await context.withTwin { twin in
                let wires = [context.lab.server, twin.wire]
                let (code, flow) = try await context.handoff(at: twin.wire)
                let (token, _) = try await context.genuine()
                for request in [context.redeem(code, flow), token] {
                    await context.volley(
                        Array(repeating: request, count: 200), losers: .refused("replayed").or(.storeUnavailable),
                        at: wires)
                    for wire in wires { await context.fire(request, expecting: .refused("replayed"), at: wire) }
                }
                await context.volley(
                    try await context.rivals(),
                    losers: .refused("replayed", "nonce_mismatch").or(.storeUnavailable), at: wires)
            }
        },
        .attack(
            "SR-07a",
            "Credentials are used at both of two processes that share a store, one of them five minutes ahead.",
            oracle: "The server refuses reuse at both; the process that is behind refuses all with 503 clock_behind.",
            source: "node-oidc-provider f167233; 1mcp #468", needs: [.standIns, .processes, .clock, .browserFlow]
        ) { context in
            try await context.onOwnServer("here") { target, server, bed in
                let (request, _) = try await target.genuine()
                try await target.honest(request)
                let (code, flow) = try await target.handoff()
                try await target.withNeighbour(of: server, "ahead", clockOffset: 300) { ahead in
                    await target.fire(request, expecting: .refused(), at: ahead.wire)
                    await target.fire(request, expecting: .refused("replayed").or(.clockBehind))
                    await target.fire(
                        target.redeem(code, flow), expecting: .refused("expired", "code_rejected"), at: ahead.wire)
                    await target.fire(target.redeem(code, flow), expecting: .refused().or(.clockBehind))
                }
            }
        },
        .attack(
            "SR-07b",
            "Credentials that another process used or reported as expired are posted to a process two minutes behind.",
            oracle: "The server refuses them; the process that is behind may respond with 503 clock_behind.",
            source: "1mcp #468", needs: [.standIns, .processes, .clock, .browserFlow]
        ) { context in
            try await context.onOwnServer("here") { target, server, bed in
                let (request, _) = try await target.genuine()
                try await target.honest(request)
                let (code, flow) = try await target.handoff()
                try await target.honest(target.redeem(code, flow))
                try await target.withNeighbour(of: server, "behind", clockOffset: -120) { behind in
                    await target.fire(request, expecting: .refused().or(.clockBehind), at: behind.wire)
                    await target.fire(
                        target.redeem(code, flow), expecting: .refused("replayed").or(.clockBehind), at: behind.wire)
                }
            }
        },
        .attack(
            "SR-09", "Forty sign-in requests are disconnected immediately or soon after, and then repeated twice.",
            oracle: "None succeeds twice: a disconnect does not release the credential.", source: "CVE-2020-15223",
            needs: [.standIns, .bulk], reveals: [.notRemembered]
        ) { context in
            var requests: [Request] = []
            for number in 0..<40 {
                let (request, _) = try await context.genuine()
                let connection = try await WireConnection(
                    to: context.lab.server, from: context.source, within: .seconds(5))
                try await connection.send(request.bytes(host: context.lab.server.host))
                try await Task.sleep(for: .milliseconds(number % 20))
                requests.append(request)
            }
            try await Task.sleep(for: .milliseconds(500))
            for request in requests {
                // A client that disconnected before its request was read has spent nothing.
                _ = await context.lab.server.send(request, from: context.source)
                await context.fire(request, expecting: .refused("replayed"))
            }
        },
    )
}

extension AttackContext {
    /// Starts a second process with another clock on the SQLite store of a separate server.
    fileprivate func withNeighbour(
        of server: TestServer, _ name: String, clockOffset: Int64, _ work: (TestServer) async throws -> Void
    ) async throws {
        let bed = try testBed
        var plan = ServerPlan("\(server.name)-\(name)")
        plan.set("store", .string("sqlite://\(bed.folder)/\(server.name).db"))
        plan.clockOffset = clockOffset
        plan.waitsUntilReady = false
        try await withServer(plan, work)
    }
}
