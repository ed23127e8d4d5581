internal import Jansson

extension Catalogue {
    static let processes = Section(.storage, .critical, needs: [.standIns, .processes, .bulk]).attacks(
        .attack(
            "SR-03a", "One ID token is posted 200 times to two processes that share a store.",
            oracle: "Exactly one request signs in.", source: "sqlite.org/lang_transaction"
        ) { strike in
            try await strike.withTwin { twin in
                let (request, _) = try await strike.genuine()
                await strike.volley(
                    Array(repeating: request, count: 200), losers: .refused("replayed").or(.storeUnavailable),
                    at: [strike.lab.server, twin.wire])
                await strike.fire(request, expecting: .refused("replayed"), at: twin.wire)
                await strike.fire(request, expecting: .refused("replayed"))
            }
        },
        .attack(
            "SR-03b", "A handoff code of one process is redeemed 200 times concurrently at two processes.",
            oracle: "Exactly one request signs in.", source: "SUPA flow_state.go",
            needs: [.processes, .bulk, .browserFlow]
        ) { strike in
            try await strike.withTwin { twin in
                let (code, flow) = try await strike.handoff()
                await strike.volley(
                    Array(repeating: strike.redeem(code, flow), count: 200),
                    losers: .refused("replayed").or(.storeUnavailable), at: [twin.wire, strike.lab.server])
            }
        },
        .attack(
            "SR-03c", "Sixty users sign in concurrently at two processes, which all write to the store.",
            severity: .high,
            oracle: "All users sign in: writers wait for one another, and none is refused as busy.",
            source: "SQLITE_BUSY_SNAPSHOT; sqlite.org/rescode"
        ) { strike in
            try await strike.withTwin { twin in
                var requests: [Request] = []
                for number in 0..<60 {
                    requests.append(try await strike.forged(subject: "WRITER\(strike.lab.now)N\(number)") { _ in })
                }
                await strike.volley(
                    requests, winners: 60...60, losers: .storeUnavailable, at: [strike.lab.server, twin.wire])
            }
        },
        .attack(
            "SR-05",
            "A handoff code, an ID token and a nonce are posted 200 times each to two processes with one PostgreSQL.",
            oracle: "The server accepts each once: a statement that waited for a row lock checks the row again.",
            source: "READ COMMITTED",
            needs: [.standIns, .processes, .bulk, .browserFlow, .postgres]
        ) { strike in
            try await strike.withTwin { twin in
                let wires = [strike.lab.server, twin.wire]
                let (code, flow) = try await strike.handoff(at: twin.wire)
                let (token, _) = try await strike.genuine()
                for request in [strike.redeem(code, flow), token] {
                    await strike.volley(
                        Array(repeating: request, count: 200), losers: .refused("replayed").or(.storeUnavailable),
                        at: wires)
                    for wire in wires { await strike.fire(request, expecting: .refused("replayed"), at: wire) }
                }
                await strike.volley(
                    try await strike.rivals(200),
                    losers: .refused("replayed", "nonce_mismatch").or(.storeUnavailable), at: wires)
            }
        },
        .attack(
            "SR-07a",
            "Credentials are used at both of two processes that share a store, one of them five minutes ahead.",
            oracle: "The server refuses reuse at both; the process that is behind refuses all with 503 clock_behind.",
            source: "node-oidc-provider f167233; 1mcp #468", needs: [.standIns, .processes, .clock, .browserFlow]
        ) { strike in
            try await strike.onOwnServer("here") { there, server, bed in
                let (request, _) = try await there.genuine()
                try await there.honest(request)
                let (code, flow) = try await there.handoff()
                try await there.withNeighbour(of: server, "ahead", clockOffset: 300) { ahead in
                    await there.fire(request, expecting: .refused(), at: ahead.wire)
                    await there.fire(request, expecting: .refused("replayed").or(.clockBehind))
                    await there.fire(
                        there.redeem(code, flow), expecting: .refused("expired", "code_rejected"), at: ahead.wire)
                    await there.fire(there.redeem(code, flow), expecting: .refused().or(.clockBehind))
                }
            }
        },
        .attack(
            "SR-07b",
            "Credentials that another process used or reported as expired are posted to a process two minutes behind.",
            oracle: "The server refuses them; the process that is behind may respond with 503 clock_behind.",
            source: "1mcp #468", needs: [.standIns, .processes, .clock, .browserFlow]
        ) { strike in
            try await strike.onOwnServer("here") { there, server, bed in
                let (request, _) = try await there.genuine()
                try await there.honest(request)
                let (code, flow) = try await there.handoff()
                try await there.honest(there.redeem(code, flow))
                try await there.withNeighbour(of: server, "behind", clockOffset: -120) { behind in
                    await there.fire(request, expecting: .refused().or(.clockBehind), at: behind.wire)
                    await there.fire(
                        there.redeem(code, flow), expecting: .refused("replayed").or(.clockBehind), at: behind.wire)
                }
            }
        },
        .attack(
            "SR-09", "Forty sign-in requests are disconnected immediately or soon after, and then repeated twice.",
            oracle: "None succeeds twice: a disconnect does not release the credential.", source: "CVE-2020-15223",
            needs: [.standIns, .bulk], reveals: [.notRemembered]
        ) { strike in
            var requests: [Request] = []
            for number in 0..<40 {
                let (request, _) = try await strike.genuine()
                let connection = try await WireConnection(
                    to: strike.lab.server, from: strike.source, within: .seconds(5))
                try await connection.send(request.bytes(host: strike.lab.server.host))
                try await Task.sleep(for: .milliseconds(number % 20))
                requests.append(request)
            }
            try await Task.sleep(for: .milliseconds(500))
            for request in requests {
                // A client that disconnected before its request was read has spent nothing.
                _ = await strike.lab.server.send(request, from: strike.source)
                await strike.fire(request, expecting: .refused("replayed"))
            }
        },
    )
}

extension Strike {
    /// Starts a second process with another clock on the SQLite store of a separate server.
    fileprivate func withNeighbour(
        of server: TestServer, _ name: String, clockOffset: Int64, _ work: (TestServer) async throws -> Void
    ) async throws {
        let bed = try lab.needed(lab.testBed, "processes")
        var plan = ServerPlan("\(server.name)-\(name)")
        plan.set("store", .string("sqlite://\(bed.folder)/\(server.name).db"))
        plan.clockOffset = clockOffset
        plan.waitsUntilReady = false
        try await withServer(plan, work)
    }
}
