internal import Jansson

extension Catalogue {
    /// Replays of token credentials, which never expire: only the nonce makes a request usable once.
    static let pairReplays = Section(.oauth1, .critical, needs: [.standIns, .oauth1]).attacks(
        .attack(
            "O1-06a", "A recorded request with token credentials is sent again, immediately and from another address.",
            oracle: "The server responds with invalid_grant, replayed; it calls X once.",
            source: "RFC 5849 4.4; RFC 9700 4.2.4",
            reveals: [.pairReplayable]
        ) { context in
            let request = try await context.exchange(fresh: try await context.pair())
            let mark = try await context.mark()
            try await context.honest(request)
            await context.fire(request, expecting: .refused("replayed"))
            await context.fire(request, expecting: .refused("replayed"), from: context.elsewhere)
            try await context.expectCalls(["x.verify_credentials": 1], since: mark)
        },
        .attack(
            "O1-06b", "The same request with token credentials is sent 50 times concurrently.",
            oracle: "Exactly one request succeeds, the others are replayed; the server calls X once.",
            source: "CVE-2026-47386",
            needs: [.standIns, .oauth1, .bulk], reveals: [.pairReplayable, .checkThenAct]
        ) { context in
            let request = try await context.exchange(fresh: try await context.pair())
            let mark = try await context.mark()
            await context.volley(Array(repeating: request, count: 50), losers: .refused("replayed"))
            try await context.expectCalls(["x.verify_credentials": 1], since: mark)
        },
        .attack(
            "O1-06c", "The same request is sent 50 times concurrently to two processes that share a store.",
            oracle: "Exactly one request succeeds, the others are replayed; the server calls X once.",
            source: "CVE-2026-47386",
            needs: [.standIns, .oauth1, .bulk, .processes]
        ) { context in
            try await context.withTwin { twin in
                for _ in 0..<2 {
                    let request = try await context.exchange(fresh: try await context.pair())
                    let mark = try await context.mark()
                    await context.volley(
                        Array(repeating: request, count: 50), losers: .refused("replayed"),
                        at: [twin.wire, context.lab.server])
                    try await context.expectCalls(["x.verify_credentials": 1], since: mark)
                }
            }
        },
        .attack(
            "O1-06d", "A used nonce is posted with other token credentials, and with a wrong secret.",
            oracle:
                "The server responds with invalid_grant, replayed: a nonce is valid for one success of any credential.",
            source: "RFC 5849 4.4",
            reveals: [.pairReplayable]
        ) { context in
            let nonce = try await context.xNonce()
            try await context.honest(context.exchange(try await context.pair(user: "mallory"), nonce: nonce))
            await context.fire(
                context.exchange(try await context.pair(), nonce: nonce), expecting: .refused("replayed"))
            let second = try await context.xNonce()
            await context.fire(
                context.exchange(try await context.pair(application: "hostile"), nonce: second),
                expecting: .refused("token_rejected"))
            await context.fire(
                context.exchange(try await context.pair(), nonce: second), expecting: .refused("replayed"))
        },
        .attack(
            "O1-07a", "Token credentials are posted without a nonce, or with an invented one.",
            oracle: "The server responds with missing_field, malformed_body or nonce_mismatch, and does not call X.",
            source: "RFC 5849 4.4",
            reveals: [.pairReplayable]
        ) { context in
            let pair = try await context.pair()
            let good = try await context.xNonce()
            let mark = try await context.mark()
            await context.fire(context.exchange(pair, nonce: nil), expecting: .malformed("missing_field"))
            await context.fire(context.exchange(pair, nonce: ""), expecting: .malformed("malformed_body"))
            let madeUp: [String] = [
                "a", String(repeating: "A", count: 75), "0", good + "A", good + "=", String(good.dropLast()),
                String(good.reversed()), " " + good, AttackContext.challenge(good),
            ]
            for nonce in madeUp {
                await context.fire(context.exchange(pair, nonce: nonce), expecting: .refused("nonce_mismatch"))
            }
            try await context.expectCalls(["x.verify_credentials": 0], since: mark)
            try await context.mustStillWork(context.exchange(pair, nonce: good))
        },
        .attack(
            "O1-07b", "Token credentials are posted with the nonce of another client, or of another provider.",
            oracle: "The server responds with invalid_grant, nonce_mismatch, and does not call X.",
            source: "RFC 9700 4.4", reveals: [.pairReplayable]
        ) { context in
            let pair = try await context.pair()
            let others: [String] = [
                try await context.nonce(clientID: context.lab.application.otherClientID, provider: "twitter.com")
                    .verifier,
                try await context.nonce(provider: "yahoo.com").verifier,
                try await context.nonce(provider: "twitter.com").nonce,
            ]
            let mark = try await context.mark()
            for nonce in others {
                await context.fire(context.exchange(pair, nonce: nonce), expecting: .refused("nonce_mismatch"))
            }
            try await context.expectCalls(["x.verify_credentials": 0], since: mark)
        },
        .attack(
            "O1-07c", "Token credentials are posted with a nonce that is eleven minutes old.", severity: .high,
            oracle: "The server responds with invalid_grant, expired, and does not call X.", source: "RFC 5849 4.4",
            needs: [.standIns, .oauth1, .processes, .clock]
        ) { context in
            // A process with another clock would change a shared store.
            try await context.onOwnServer("later") { target, server, bed in
                let request = try await target.exchange(fresh: try await target.pair())
                await bed.stop(server)
                try await bed.restart(server, clockOffset: 660)
                let mark = try await target.mark()
                await target.fire(request, expecting: .refused("expired"))
                try await target.expectCalls(["x.verify_credentials": 0], since: mark)
            }
        },
        .attack(
            "O1-17", "Fifty calls to X are observed.", severity: .high,
            oracle: "The server signs each with a new nonce, and puts no secret and no `oauth_` parameter in a URL.",
            source: "RFC 5849 3.3, 3.4", needs: [.standIns, .oauth1, .bulk]
        ) { context in
            let pair = try await context.pair()
            let mark = try await context.mark()
            for _ in 0..<50 { try await context.honest(try await context.exchange(fresh: pair)) }
            let seen = try await context.standIns.requests(since: mark)
                .filter { $0["endpoint"]?.string == "x.verify_credentials" }
            await context.expect(seen.count == 50, .sideEffect, "X was called \(seen.count) times.")
            for request in seen {
                let names = request["query_parameters"]?.array?.compactMap(\.string) ?? []
                await context.expect(
                    request["authorization"]?.string == "OAuth" && request["status"]?.integer == 200
                        && !names.contains { $0.hasPrefix("oauth_") }, .leaked,
                    "A call was not signed in its Authorization field.")
            }
        },
    )
}
