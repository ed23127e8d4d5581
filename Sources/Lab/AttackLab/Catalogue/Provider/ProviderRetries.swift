internal import Jansson

extension Catalogue {
    static let providerRetries = Section(.provider, .high, needs: [.standIns, .processes]).attacks(
        .attack(
            "UP-11a", "The provider closes a kept-alive connection when the next code arrives.",
            oracle: "The server sends the code once, since the provider may have redeemed it: 502, and it stays spent.",
            source: "RFC 9110 9.2.2"
        ) { context in
            let nonce = "nonce-for-\(context.attack.id)-0001"
            let good = try await context.goodTokens(nonce: nonce)
            try await context.withTokenPeer({ number, _ in
                number == 0
                    ? [.send(.head(length: good.utf8.count, "Connection: keep-alive") + good), .listen] : [.reset]
            }) { server, peer in
                try await context.honest(try context.crudeExchange(nonce: nonce), at: server.wire)
                let second = try context.crudeExchange()
                await context.fire(second, expecting: .unusable("provider_unreachable"), at: server.wire)
                await context.expect(
                    peer.requests.count == 2, .sideEffect, "A code was sent \(peer.requests.count - 1) times.")
                await context.fire(second, expecting: .refused("replayed"), at: server.wire)
            }
        },
        .sweep(
            "UP-11b", "X's user endpoint and credentials check close the connection each time.", severity: .medium,
            oracle: "The server responds with 502 provider_unreachable and retries at most once.",
            source: "RFC 9110 9.2.2",
            needs: [.standIns, .oauth1], over: ["x.users_me", "x.verify_credentials"]
        ) { context, target in
            let request =
                target == "x.users_me"
                ? context.exchange(try await context.xCode())
                : try await context.exchange(fresh: try await context.pair())
            try await context.standIns.fault(["target": .string(target), "drop": true])
            let mark = try await context.mark()
            await context.fire(request, expecting: .unusable("provider_unreachable"))
            let calls = try await context.standIns.calls(since: mark)[target] ?? 0
            await context.expect((1...2).contains(calls), .sideEffect, "\(target) was called \(calls) times.")
        },
        .attack(
            "UP-11c", "Each endpoint truncates its response.",
            oracle: "The server responds with 502 provider_unreachable.",
            source: "CURLE_PARTIAL_FILE", needs: [.standIns, .oauth1], reveals: [.codeReused]
        ) { context in
            for (target, bytes) in [("yahoo.token", 900), ("x.oauth2_token", 40), ("x.users_me", 30)] {
                let request =
                    target.hasPrefix("yahoo.")
                    ? context.exchange(try await context.yahooCode()) : context.exchange(try await context.xCode())
                try await context.standIns.fault([
                    "target": .string(target), "times": 2, "cut_after_bytes": .integer(Int64(bytes)),
                ])
                await context.fire(request, expecting: .unusable("provider_unreachable"))
                try await context.standIns.fault(["target": .string(target), "times": 1, "delay_ms": 0])
                await context.fire(request, expecting: .refused("replayed"))
            }
            let pair = try await context.exchange(fresh: try await context.pair())
            try await context.standIns.fault(["target": "x.verify_credentials", "cut_after_bytes": 30])
            await context.fire(pair, expecting: .unusable("provider_unreachable"))
        },
        .attack(
            "UP-12", "The token endpoints respond with 429 and 503 and various values of Retry-After.",
            severity: .medium,
            oracle: "The server responds with 502, retry: same and a Retry-After of at most one minute.",
            source: "RFC 9110 10.2.3; RFC 6585 4", needs: [.standIns], reveals: [.codeReused]
        ) { context in
            for (target, request) in [
                ("yahoo.token", context.exchange(try await context.yahooCode())),
                ("x.oauth2_token", context.exchange(try await context.xCode())),
            ] {
                for status: JSON in [429, 503] {
                    for after in ["5", "99999999", "99999999999999999999", "garbage", "-1", "0", "1.5", "5, 6"] {
                        try await context.standIns.fault([
                            "target": .string(target), "times": 1, "status": status, "body": "{}",
                            "header": ["Retry-After": .string(after)],
                        ])
                        let answer = await context.fire(request, expecting: .unusable("provider_error")).answer
                        let seconds = answer?.field("retry-after").flatMap { Int($0) } ?? -1
                        await context.expect(
                            (0...60).contains(seconds), .wrongAnswer, "Retry-After is \(seconds) for \(after).")
                        await context.expect(
                            answer?["retry"] == "same", .consumed, "The response does not say retry: same.")
                    }
                }
                try await context.mustStillWork(request)
                await context.fire(request, expecting: .refused("replayed"))
            }
        },
        .attack(
            "UP-06f", "Yahoo's userinfo endpoint never responds.", severity: .medium,
            oracle: "The server signs the user in by the ID token, and waits at most the provider's timeout.",
            source: "CURLOPT_TIMEOUT_MS"
        ) { context in
            let request = context.exchange(try await context.yahooCode())
            var plan = ServerPlan("hasty-\(context.attack.id)")
            plan.sharesStore = true
            plan.set("providers/yahoo.com/timeout", "400ms")
            try await context.withServer(plan) { server in
                try await context.standIns.fault(["target": "yahoo.userinfo", "delay_ms": 5000])
                let answer = try await context.honest(request, at: server.wire)
                await context.expect(answer.duration < .seconds(2), .slow, "The response took \(answer.duration).")
            }
        },
        .attack(
            "UP-06g", "X's endpoints stall, one after the other.",
            oracle: "The server responds with 504 provider_timeout in time; the code stays spent.",
            source: "CURLOPT_TIMEOUT_MS"
        ) { context in
            var plan = ServerPlan("hasty-\(context.attack.id)")
            plan.sharesStore = true
            plan.set("providers/twitter.com/timeout", "400ms")
            try await context.withServer(plan) { server in
                for target in ["x.oauth2_token", "x.users_me"] {
                    for fault: JSON in [["delay_ms": 3000], ["drip_ms": 60]] {
                        let request = context.exchange(try await context.xCode())
                        try await context.standIns.fault(
                            fault.setting(["target"], to: .string(target)).setting(["times"], to: 1))
                        await context.fire(request, expecting: .timeout, at: server.wire, within: .seconds(2))
                        await context.fire(request, expecting: .refused("replayed"), at: server.wire)
                    }
                }
            }
        },
        .attack(
            "UP-20",
            "An attacker at the provider appends a second response, for the next user's request.",
            severity: .critical,
            oracle: "The server discards the unrequested response: the second request gets its own response.",
            source: "RFC 9112 11.1 (response splitting); CVE-2026-6276"
        ) { context in
            let nonces = ["nonce-one-of-UP-20-0001", "nonce-two-of-UP-20-0002"]
            let first = try await context.goodTokens(nonce: nonces[0])
            let second = try await context.goodTokens(nonce: nonces[1])
            try await context.withTokenPeer({ number, _ in
                guard number == 0 else { return [.send("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")] }
                return [
                    .send(.head(length: first.utf8.count) + first + .head(length: second.utf8.count) + second), .listen,
                ]
            }) { server, peer in
                try await context.honest(try context.crudeExchange(nonce: nonces[0]), at: server.wire)
                await context.fire(
                    try context.crudeExchange(nonce: nonces[1]), expecting: .unusable("provider_error"), at: server.wire
                )
                await context.expect(
                    peer.requests.count == 2, .sideEffect, "The second request did not reach the peer.")
            }
        },
    )
}
