internal import Jansson

extension Catalogue {
    /// Replays of token credentials, which never expire: only the nonce makes a request usable once.
    static let pairReplays = Section(.oauth1, .critical, needs: [.standIns, .oauth1]).attacks(
        .attack(
            "O1-06a", "A recorded request with token credentials is sent again, immediately and from another address.",
            oracle: "The server responds with invalid_grant, replayed; it calls X once.",
            source: "RFC 5849 4.4; RFC 9700 4.2.4",
            reveals: [.pairReplayable]
        ) { strike in
            let request = try await strike.exchange(fresh: try await strike.pair())
            let mark = try await strike.mark()
            try await strike.honest(request)
            await strike.fire(request, expecting: .refused("replayed"))
            await strike.fire(request, expecting: .refused("replayed"), from: strike.elsewhere)
            try await strike.expectCalls(["x.verify_credentials": 1], since: mark)
        },
        .attack(
            "O1-06b", "The same request with token credentials is sent 50 times concurrently.",
            oracle: "Exactly one request succeeds, the others are replayed; the server calls X once.",
            source: "CVE-2026-47386",
            needs: [.standIns, .oauth1, .bulk], reveals: [.pairReplayable, .checkThenAct]
        ) { strike in
            let request = try await strike.exchange(fresh: try await strike.pair())
            let mark = try await strike.mark()
            await strike.volley(Array(repeating: request, count: 50), losers: .refused("replayed"))
            try await strike.expectCalls(["x.verify_credentials": 1], since: mark)
        },
        .attack(
            "O1-06c", "The same request is sent 50 times concurrently to two processes that share a store.",
            oracle: "Exactly one request succeeds, the others are replayed; the server calls X once.",
            source: "CVE-2026-47386",
            needs: [.standIns, .oauth1, .bulk, .processes]
        ) { strike in
            try await strike.withTwin { twin in
                for _ in 0..<2 {
                    let request = try await strike.exchange(fresh: try await strike.pair())
                    let mark = try await strike.mark()
                    await strike.volley(
                        Array(repeating: request, count: 50), losers: .refused("replayed"),
                        at: [twin.wire, strike.lab.server])
                    try await strike.expectCalls(["x.verify_credentials": 1], since: mark)
                }
            }
        },
        .attack(
            "O1-06d", "A used nonce is posted with other token credentials, and with a wrong secret.",
            oracle:
                "The server responds with invalid_grant, replayed: a nonce is valid for one success of any credential.",
            source: "RFC 5849 4.4",
            reveals: [.pairReplayable]
        ) { strike in
            let nonce = try await strike.xNonce()
            try await strike.honest(strike.exchange(try await strike.pair(user: "mallory"), nonce: nonce))
            await strike.fire(
                strike.exchange(try await strike.pair(), nonce: nonce), expecting: .refused("replayed"))
            let second = try await strike.xNonce()
            await strike.fire(
                strike.exchange(try await strike.pair(application: "hostile"), nonce: second),
                expecting: .refused("token_rejected"))
            await strike.fire(
                strike.exchange(try await strike.pair(), nonce: second), expecting: .refused("replayed"))
        },
        .attack(
            "O1-07a", "Token credentials are posted without a nonce, or with an invented one.",
            oracle: "The server responds with missing_field, malformed_body or nonce_mismatch, and does not call X.",
            source: "RFC 5849 4.4",
            reveals: [.pairReplayable]
        ) { strike in
            let pair = try await strike.pair()
            let good = try await strike.xNonce()
            let mark = try await strike.mark()
            await strike.fire(strike.exchange(pair, nonce: nil), expecting: .malformed("missing_field"))
            await strike.fire(strike.exchange(pair, nonce: ""), expecting: .malformed("malformed_body"))
            let madeUp: [String] = [
                "a", String(repeating: "A", count: 75), "0", good + "A", good + "=", String(good.dropLast()),
                String(good.reversed()), " " + good, Strike.challenge(good),
            ]
            for nonce in madeUp {
                await strike.fire(strike.exchange(pair, nonce: nonce), expecting: .refused("nonce_mismatch"))
            }
            try await strike.expectCalls(["x.verify_credentials": 0], since: mark)
            try await strike.mustStillWork(strike.exchange(pair, nonce: good))
        },
        .attack(
            "O1-07b", "Token credentials are posted with the nonce of another client, or of another provider.",
            oracle: "The server responds with invalid_grant, nonce_mismatch, and does not call X.",
            source: "RFC 9700 4.4", reveals: [.pairReplayable]
        ) { strike in
            let pair = try await strike.pair()
            let others: [String] = [
                try await strike.nonce(clientID: strike.lab.application.otherClientID, provider: "twitter.com")
                    .verifier,
                try await strike.nonce(provider: "yahoo.com").verifier,
                try await strike.nonce(provider: "twitter.com").nonce,
            ]
            let mark = try await strike.mark()
            for nonce in others {
                await strike.fire(strike.exchange(pair, nonce: nonce), expecting: .refused("nonce_mismatch"))
            }
            try await strike.expectCalls(["x.verify_credentials": 0], since: mark)
        },
        .attack(
            "O1-07c", "Token credentials are posted with a nonce that is eleven minutes old.", severity: .high,
            oracle: "The server responds with invalid_grant, expired, and does not call X.", source: "RFC 5849 4.4",
            needs: [.standIns, .oauth1, .processes, .clock]
        ) { strike in
            // A process with another clock would change a shared store.
            try await strike.onOwnServer("later") { there, server, bed in
                let request = try await there.exchange(fresh: try await there.pair())
                await bed.stop(server)
                try await bed.restart(server, clockOffset: 660)
                let mark = try await there.mark()
                await there.fire(request, expecting: .refused("expired"))
                try await there.expectCalls(["x.verify_credentials": 0], since: mark)
            }
        },
        .attack(
            "O1-17", "Fifty calls to X are observed.", severity: .high,
            oracle: "The server signs each with a new nonce, and puts no secret and no `oauth_` parameter in a URL.",
            source: "RFC 5849 3.3, 3.4", needs: [.standIns, .oauth1, .bulk]
        ) { strike in
            let pair = try await strike.pair()
            let mark = try await strike.mark()
            for _ in 0..<50 { try await strike.honest(try await strike.exchange(fresh: pair)) }
            let seen = try await strike.standIns.requests(since: mark)
                .filter { $0["endpoint"]?.string == "x.verify_credentials" }
            await strike.expect(seen.count == 50, .sideEffect, "X was called \(seen.count) times.")
            for request in seen {
                let names = request["query_parameters"]?.array?.compactMap(\.string) ?? []
                await strike.expect(
                    request["authorization"]?.string == "OAuth" && request["status"]?.integer == 200
                        && !names.contains { $0.hasPrefix("oauth_") }, .leaked,
                    "A call was not signed in its Authorization field.")
            }
        },
    )
}
