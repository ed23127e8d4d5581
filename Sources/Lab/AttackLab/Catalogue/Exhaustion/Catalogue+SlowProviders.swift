internal import Jansson

extension Catalogue {
    static let slowProviders = Section(.exhaustion, .high, needs: [.standIns, .bulk, .patience]).attacks(
        .attack(
            "RX-10a", "A provider takes seconds to answer, and a hundred and fifty sign-ins wait for it.",
            oracle: "Each is answered within the deadline, with a sign-in, 503 or 504; others are served meanwhile.",
            source: "Keycloak http-max-queued-requests"
        ) { strike in
            let requests = try await strike.manyCodes(150)
            try await strike.standIns.fault(["target": "yahoo.token", "delay_ms": 1500])
            async let counting = strike.count(requests, atOnce: 150)
            try await Task.sleep(for: .milliseconds(900))
            await strike.expectServed(within: .seconds(5), while: "150 sign-ins wait for a provider")
            let counts = await counting
            let expected = ["200", "503 overloaded", "504 provider_timeout"]
            await strike.expect(
                counts.keys.allSatisfy(expected.contains), .dead, "150 sign-ins by a slow provider ended as \(counts).")
        },
        .attack(
            "RX-10b", "One provider hangs; people sign in by another, and operators look at health.",
            oracle: "The other provider and the health endpoints answer as before.", source: "bulkheads",
            needs: [.standIns, .bulk, .admin, .oauth1, .patience]
        ) { strike in
            let requests = try await strike.manyCodes(80)
            try await strike.standIns.fault(["target": "yahoo.token", "delay_ms": 1500])
            async let counting = strike.count(requests, atOnce: 80)
            try await Task.sleep(for: .milliseconds(800))
            let begin = ContinuousClock.now
            let (_, verifier) = try await strike.nonce(provider: "twitter.com")
            let pair = try await strike.standIns.issue([
                "provider": "twitter.com", "protocol": "oauth1", "user": "bjorn",
            ])
            let signIn = strike.exchange(
                [
                    "type": "oauth1_token", "oauth_token": pair["oauth_token"] ?? .null,
                    "oauth_token_secret": pair["oauth_token_secret"] ?? .null, "nonce": .string(verifier),
                ], provider: "twitter.com")
            try await strike.mustStillWork(signIn)
            if let admin = strike.lab.admin { try await strike.honest(.get("/readyz"), at: admin) }
            await strike.expect(
                begin.duration(to: .now) < .seconds(5), .slow,
                "Another provider's sign-in waited for the one that hangs.")
            _ = await counting
        },
        .attack(
            "RX-16", "More requests are under way than the server may work on.",
            oracle: "503 overloaded at once, `retry: same`, Retry-After; the admin listener answers; then all goes on.",
            source: "http-api.md; load shedding", needs: [.processes, .standIns, .bulk]
        ) { strike in
            try await strike.onOwnServer("busy") {
                $0.set("server/max_in_flight", 4)
            } _: { there, server, _ in
                let requests = try await there.manyCodes(12)
                try await there.standIns.fault(["target": "yahoo.token", "delay_ms": 1200])
                async let counting = there.count(requests, atOnce: 12)
                try await Task.sleep(for: .milliseconds(500))
                let begin = ContinuousClock.now
                let reply = await there.fire(
                    there.nonceRequest,
                    expecting: .refused("overloaded", status: 503, error: "temporarily_unavailable"))
                await strike.expect(
                    begin.duration(to: .now) < .milliseconds(500), .slow, "The refusal itself had to wait.")
                await strike.expect(
                    reply.answer?["retry"] == "same" && reply.answer?.field("retry-after") != nil, .wrongAnswer,
                    "The refusal does not say how to go on.")
                try await there.honest(.get("/readyz"), at: server.admin)
                let counts = await counting
                await strike.expect(
                    counts["200"] == 4 && counts["503 overloaded"] == 8, .raced,
                    "Of 12 at once, with room for 4: \(counts)")
                try await there.standIns.reset()
                try await there.honest(there.nonceRequest)
            }
        },
        .attack(
            "RX-05", "Four hundred tokens with valid claims are signed by an unknown key.", severity: .medium,
            oracle: "All are refused, and a good sign-in beside them is served soon.", source: "CWE-400",
            needs: [.standIns, .bulk]
        ) { strike in
            let (nonce, verifier) = try await strike.nonce()
            var draft = try await strike.draft(nonce: nonce)
            draft.key = .foreign
            let token = try await draft.token(by: strike.standIns)
            let request = strike.exchange(idToken: token, nonce: verifier)
            async let counting = strike.count(Array(repeating: request, count: 400), atOnce: 100)
            await strike.expectServed(within: .seconds(5), while: "400 tokens are verified")
            let counts = await counting
            await strike.expect(
                counts == ["400 signature_invalid": 400], .wrongAnswer, "They were answered \(counts).")
        },
    )
}

extension Strike {
    /// Requests with good codes of Yahoo's.
    fileprivate func manyCodes(_ count: Int) async throws -> [Request] {
        var requests: [Request] = []
        for _ in 0..<count { requests.append(try await codeExchange()) }
        return requests
    }
}
