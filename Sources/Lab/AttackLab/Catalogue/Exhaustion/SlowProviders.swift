internal import Jansson

extension Catalogue {
    static let slowProviders = Section(.exhaustion, .high, needs: [.standIns, .bulk, .patience]).attacks(
        .attack(
            "RX-10a", "A provider takes seconds to respond while a hundred and fifty sign-ins wait for it.",
            oracle: "Each gets a sign-in, 503 or 504 within the deadline; the server serves others meanwhile.",
            source: "Keycloak http-max-queued-requests"
        ) { context in
            let requests = try await context.manyCodes(150)
            try await context.standIns.fault(["target": "yahoo.token", "delay_ms": 1500])
            async let counting = context.count(requests, atOnce: 150)
            try await Task.sleep(for: .milliseconds(900))
            await context.expectServed(while: "150 sign-ins wait for a provider")
            let counts = await counting
            let expected = ["200", "503 overloaded", "504 provider_timeout"]
            await context.expect(
                counts.keys.allSatisfy(expected.contains), .dead,
                "150 sign-ins with a slow provider ended as \(counts).")
        },
        .attack(
            "RX-10b", "One provider hangs while users sign in with another and operators check the health endpoints.",
            oracle: "The other provider and the health endpoints work as before.", source: "bulkheads",
            needs: [.standIns, .bulk, .admin, .oauth1, .patience]
        ) { context in
            let requests = try await context.manyCodes(80)
            try await context.standIns.fault(["target": "yahoo.token", "delay_ms": 1500])
            async let counting = context.count(requests, atOnce: 80)
            try await Task.sleep(for: .milliseconds(800))
            let begin = ContinuousClock.now
            try await context.mustStillWork(
                try await context.exchange(fresh: try await context.pair(user: "bjorn")))
            if let admin = context.lab.admin { try await context.honest(.get("/readyz"), at: admin) }
            await context.expect(
                begin.duration(to: .now) < .seconds(5), .slow,
                "A sign-in with another provider waited for the one that hangs.")
            _ = await counting
        },
        .attack(
            "RX-16", "More requests are in progress than the server may process concurrently.",
            oracle:
                """
                The server immediately responds with 503 overloaded, `retry: same` and Retry-After; the admin \
                listener works.
                """,
            source: "token-exchange API; load shedding", needs: [.processes, .standIns, .bulk]
        ) { context in
            try await context.onOwnServer("busy") {
                $0.set("server/max_in_flight", 4)
            } _: { target, server, _ in
                let requests = try await target.manyCodes(12)
                try await target.standIns.fault(["target": "yahoo.token", "delay_ms": 1200])
                async let counting = target.count(requests, atOnce: 12)
                try await Task.sleep(for: .milliseconds(500))
                let begin = ContinuousClock.now
                let reply = await target.fire(
                    target.nonceRequest,
                    expecting: .refused("overloaded", status: 503, error: "temporarily_unavailable"))
                await context.expect(
                    begin.duration(to: .now) < .milliseconds(500), .slow, "The refusal took longer than 500 ms.")
                await context.expect(
                    reply.answer?["retry"] == "same" && reply.answer?.field("retry-after") != nil, .wrongAnswer,
                    "The response has no `retry: same` or no Retry-After.")
                try await target.honest(.get("/readyz"), at: server.admin)
                let counts = await counting
                await context.expect(
                    counts["200"] == 4 && counts["503 overloaded"] == 8, .raced,
                    "Of 12 concurrent requests with a limit of 4: \(counts)")
                try await target.standIns.reset()
                try await target.honest(target.nonceRequest)
            }
        },
        .attack(
            "RX-05", "Four hundred tokens with valid claims are signed by an unknown key.", severity: .medium,
            oracle: "The server refuses all of them, and serves a correct sign-in meanwhile.", source: "CWE-400",
            needs: [.standIns, .bulk]
        ) { context in
            let (nonce, verifier) = try await context.nonce()
            var draft = try await context.draft(nonce: nonce)
            draft.key = .foreign
            let token = try await draft.token(by: context.standIns)
            let request = context.exchange(idToken: token, nonce: verifier)
            async let counting = context.count(Array(repeating: request, count: 400), atOnce: 100)
            await context.expectServed(while: "400 tokens are verified")
            let counts = await counting
            await context.expect(
                counts == ["400 signature_invalid": 400], .wrongAnswer, "The responses were \(counts).")
        },
    )
}

extension AttackContext {
    /// Returns requests with valid codes of Yahoo.
    fileprivate func manyCodes(_ count: Int) async throws -> [Request] {
        var requests: [Request] = []
        for _ in 0..<count { requests.append(exchange(try await yahooCode())) }
        return requests
    }
}

extension Catalogue {
    static let soaks = Section(.exhaustion, .high, needs: [.processes, .standIns, .bulk]).attacks(
        .attack(
            "RX-14a", "Six hundred valid and invalid requests are mixed, some of them cut off.",
            oracle: "The number of descriptors stays the same, and memory hardly grows.", source: "soak"
        ) { context in
            try await context.onOwnServer("soaked") { target, server, bed in
                let limits = try await ProcessLimits(of: server, in: bed)
                try await target.soak(200)
                try await Task.sleep(for: .milliseconds(500))
                let files = try limits.openFiles
                let memory = try limits.memory
                try await target.soak(600)
                try await Task.sleep(for: .milliseconds(500))
                let openedFiles = try limits.openFiles - files
                let grown = try limits.memory - memory
                await context.expect(openedFiles <= 10, .slow, "\(openedFiles) more descriptors are open than before.")
                await context.expect(grown < 32 << 20, .slow, "The server grew by \(grown >> 20) MB.")
            }
        },
        .attack(
            "RX-14b", "Two hundred flows and device grants are begun, and none is finished.",
            oracle: "The store grows by less than 256 KiB.", source: "soak",
            needs: [.processes, .standIns, .browserFlow, .bulk]
        ) { context in
            try await context.onOwnServer("begun") { target, server, _ in
                let before = try target.database(of: server).count
                let start = target.authorize(verifier: String(repeating: "v", count: 43), state: "s")
                let requests = (0..<200).map { $0 % 2 == 0 ? start : target.nonceRequest }
                let counts = await target.count(requests)
                await context.expect(
                    counts["200"] == 100 && counts["303"] == 100, .wrongAnswer, "The responses were \(counts).")
                let grown = try target.database(of: server).count - before
                await context.expect(
                    grown < 1 << 18, .sideEffect, "The store grew by \(grown) bytes for unfinished flows.")
            }
        },
    )
}

extension AttackContext {
    /// Returns sign-ins, refused requests, pages and requests that are cut off.
    fileprivate func soak(_ count: Int) async throws {
        var requests: [Request] = []
        for number in 0..<count {
            switch number % 20 {
            case 0: requests.append(try await genuine().request)
            case 1: requests.append(.get("/authorize"))
            case 2: requests.append(.get("/callback/yahoo.com?code=a&state=b"))
            case 3: requests.append(.json("/v1/exchange", text: "{"))
            case 4: requests.append(.form("/token", [("grant_type", "authorization_code")]))
            case 5: requests.append(exchange(idToken: "a.b.\(number)", nonce: "a"))
            case 6: requests.append(.get("/\(number)"))
            case 7:
                requests.append(
                    .raw("POST /v1/nonce HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\nConnection: close\r\n\r\n{"))
            case 8: requests.append(.get("/openapi.json"))
            case 10: requests.append(.json("/v1/nonce", text: "{}"))
            default: requests.append(nonceRequest)
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for (index, request) in requests.enumerated() {
                if index >= 50 { await group.next() }
                group.addTask {
                    // The tester does not wait for one response in twenty.
                    _ = await lab.server.send(request, from: source, within: .seconds(index % 20 == 7 ? 0.05 : 20))
                }
            }
        }
    }
}
