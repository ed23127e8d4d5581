extension Catalogue {
    static let lockedStores = Section(.storage, .critical, needs: [.processes, .browserFlow, .patience]).attacks(
        .attack(
            "SR-10a",
            "Another process locks the store for writing while an ID token and a handoff code are posted.",
            oracle:
                "The server responds with 503, `retry: same` and no token; afterwards each credential works once.",
            source: "CVE-2020-15223; SQLITE_BUSY"
        ) { context in
            try await context.onOwnServer("locked") { target, server, bed in
                let exchange = try await target.genuine().request
                let (code, flow) = try await target.handoff(user: "carol")
                let lock = try WriteLock(database: "\(bed.folder)/\(server.name).db")
                async let exchanged = target.fire(exchange, expecting: .unwritten)
                async let redeemed = target.fire(target.redeem(code, flow), expecting: .unwritten)
                async let health = target.expectReadiness(503, of: server)
                let replies = await [exchanged, redeemed]
                _ = await health
                lock.release()
                for reply in replies {
                    await context.expect(
                        reply.answer?["retry"] == "same", .wrongAnswer,
                        "The response does not say retry: same.")
                    await context.expect(
                        reply.answer?.field("retry-after") != nil, .wrongAnswer, "The 503 has no Retry-After.")
                }
                for request in [exchange, target.redeem(code, flow)] {
                    try await target.mustStillWork(request)
                    await target.fire(request, expecting: .refused("replayed"))
                }
                await target.expectReadiness(200, of: server)
            }
        },
        .attack(
            "SR-10b", "The store's files cannot grow (a full disk) while users sign in.",
            oracle:
                "The server responds with 503 to each sign-in that it cannot record, and recovers with space.",
            source: "CVE-2020-15223; SQLITE_FULL", needs: [.processes, .standIns]
        ) { context in
            try await context.onOwnServer("full") {
                $0.prelude = "trap '' XFSZ"
            } _: { target, server, bed in
                let limits = try await ProcessLimits(of: server, in: bed)
                try await target.honest(try await target.genuine().request)
                try await limits.setLargestFile(4096)
                var refused: [Request] = []
                for _ in 0..<5 {
                    let (request, _) = try await target.genuine()
                    await target.fire(request, expecting: .unwritten)
                    refused.append(request)
                }
                await target.expectReadiness(503, of: server)
                await target.fire(.get("/healthz"), expecting: .status(200), at: server.admin)
                try await limits.setLargestFile(nil)
                for request in refused {
                    try await target.mustStillWork(request)
                    await target.fire(request, expecting: .refused("replayed"))
                }
                await target.expectReadiness(200, of: server)
            }
        },
        .attack(
            "SR-10c", "The disk is full while browser flows, handoffs and device codes are recorded.",
            oracle: "The server responds with 503 and issues nothing without a record; earlier codes stay valid.",
            source: "CVE-2020-15223", needs: [.processes, .browserFlow, .deviceGrant]
        ) { context in
            try await context.onOwnServer("full") {
                $0.prelude = "trap '' XFSZ"
            } _: { target, server, bed in
                let limits = try await ProcessLimits(of: server, in: bed)
                let (code, flow) = try await target.handoff(user: "carol")
                let waiting = try await target.begin()
                let callback = await target.callback(try await target.approve(waiting), in: waiting.browser)
                let device = Request.form("/device_authorization", [("client_id", target.lab.application.clientID)])
                let anonymous = Request.json("/v1/anonymous", text: #"{"client_id":"my-app"}"#)
                try await limits.setLargestFile(4096)
                // The server reports the error to the application through the browser (RFC 6749 §4.1.2.1).
                let told = await target.fire(callback, expecting: .status(303)).answer
                await context.expect(
                    told?.redirected("error") == "temporarily_unavailable", .wrongAnswer,
                    "The application does not learn that the server is unavailable.")
                await target.fire(target.redeem(code, flow), expecting: .unwritten)
                await target.fire(device, expecting: .unwritten)
                await target.fire(anonymous, expecting: .unwritten)
                try await limits.setLargestFile(nil)
                try await target.mustStillWork(target.redeem(code, flow))
                await target.fire(target.redeem(code, flow), expecting: .refused("replayed"))
                try await target.mustStillWork(device)
            }
        },
    )
}

extension Expectation {
    /// Expects 503 `store_unavailable`.
    static var unwritten: Self {
        .refused("store_unavailable", status: 503, error: "temporarily_unavailable")
    }
}
