internal import Jansson

extension Catalogue {
    static let processes = Section(.storage, .critical, needs: [.standIns, .processes, .bulk]).attacks(
        .attack(
            "SR-03a", "Two processes share the store, and one ID token is posted to both, 200 times.",
            oracle: "Exactly one sign-in.", source: "sqlite.org/lang_transaction"
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
            "SR-03b", "A handoff code of one process is redeemed at both, two hundred times at once.",
            oracle: "Exactly one sign-in.", source: "SUPA flow_state.go", needs: [.processes, .bulk, .browserFlow]
        ) { strike in
            try await strike.withTwin { twin in
                let (code, flow) = try await strike.handoff()
                await strike.volley(
                    Array(repeating: strike.redeem(code, flow), count: 200),
                    losers: .refused("replayed").or(.storeUnavailable), at: [twin.wire, strike.lab.server])
            }
        },
        .attack(
            "SR-03c", "Sixty people sign in at two processes at once: all of them want to write.", severity: .high,
            oracle: "Everybody signs in: writers wait for one another, and none is turned away as busy.",
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
            "Two processes share a PostgreSQL; a handoff code, an ID token and a nonce come to both 200 times each.",
            oracle: "One use of each: who waits for a row looks at it again.", source: "READ COMMITTED",
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
            "Two processes share the store, one of them five minutes ahead; what was used at one comes to the other.",
            oracle: "Refused at both; the one that is behind takes nothing more: 503 clock_behind.",
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
            "A process two minutes behind accepts what another has used, and what the other says has expired.",
            oracle: "Used is used, whatever the clock says; the process that is behind may answer 503 clock_behind.",
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
            "SR-09", "Forty sign-ins are asked for and the connection is cut, at once or soon after; then twice more.",
            oracle: "None succeeds twice: a caller who leaves takes nothing back.", source: "CVE-2020-15223",
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
    /// A second process on the SQLite store of a server of the attack's own, in another time.
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
