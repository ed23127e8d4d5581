internal import Jansson

extension Catalogue {
    static let xCredentials = Section(.oauth2, .critical).attacks(
        .attack(
            "X2-01a",
            "An access token of X that the victim granted to another application is posted with a valid nonce.",
            oracle:
                "The server responds with audience_unverifiable: `/2/users/me` reports no client of a token.",
            source: "RFC 9700 4.6, 4.10.2; Salt Labs 2023", reveals: [.bearerOfX]
        ) { context in
            try await context.fire(bearerOf: "hostile")
        },
        .attack(
            "X2-01b", "An access token of X for our own application is posted with a valid nonce.", severity: .high,
            oracle:
                "The server responds with invalid_grant, audience_unverifiable: it cannot verify the token's client.",
            source: "RFC 9700 4.6, 4.10.2", reveals: [.bearerOfX]
        ) { context in
            try await context.fire(bearerOf: "ours")
        },
        .attack(
            "X2-01c", "An access token of X is posted as a code, and as token credentials.",
            oracle: "The server refuses it: it redeems the code at X, and signs a request with the token credentials.",
            source: "RFC 9700 4.10.2"
        ) { context in
            let token = try await context.xToken(application: "hostile")
            let code = try await context.xCode().with("code", .string(token))
            await context.fire(context.exchange(code), expecting: .refused("code_rejected"))
            var pair = try await context.pair(user: "mallory")
            pair.token = token
            await context.fire(try await context.exchange(fresh: pair), expecting: .refused("token_rejected"))
        },
        .attack(
            "X2-03a", "The same code of X is posted twice, and from another address.",
            oracle: "The server responds to the second with invalid_grant, replayed; it calls X once.",
            source: "RFC 6749 4.1.2",
            reveals: [.codeReused]
        ) { context in
            let request = context.exchange(try await context.xCode())
            let mark = try await context.mark()
            try await context.honest(request)
            await context.fire(request, expecting: .refused("replayed"))
            await context.fire(request, expecting: .refused("replayed"), from: context.elsewhere)
            try await context.expectCalls(["x.oauth2_token": 1, "x.users_me": 1], since: mark)
        },
        .attack(
            "X2-03b", "The same code of X is posted 50 times concurrently.",
            oracle: "Exactly one request succeeds, the others are replayed; the server calls X once.",
            source: "SUPA #2612; CVE-2026-47386",
            needs: [.standIns, .bulk], reveals: [.codeReused, .checkThenAct]
        ) { context in
            let request = context.exchange(try await context.xCode())
            let mark = try await context.mark()
            await context.volley(Array(repeating: request, count: 50), losers: .refused("replayed"))
            try await context.expectCalls(["x.oauth2_token": 1], since: mark)
        },
        .attack(
            "X2-03c", "The same code of X is posted 50 times concurrently to two processes that share a store.",
            oracle: "Exactly one request succeeds, the others are replayed; the server calls X once.",
            source: "CVE-2026-47386",
            needs: [.standIns, .bulk, .processes]
        ) { context in
            try await context.withTwin { twin in
                for _ in 0..<2 {
                    let request = context.exchange(try await context.xCode())
                    let mark = try await context.mark()
                    await context.volley(
                        Array(repeating: request, count: 50), losers: .refused("replayed"),
                        at: [context.lab.server, twin.wire])
                    try await context.expectCalls(["x.oauth2_token": 1], since: mark)
                }
            }
        },
        .attack(
            "X2-12", "A code that X issued to another application is posted, with its verifier.",
            oracle:
                "The server responds with invalid_grant, code_rejected: it redeems the code with its own client id.",
            source: "CVE-2026-55672"
        ) { context in
            let code = try await context.xCode(application: "hostile")
            await context.fire(context.exchange(code), expecting: .refused("code_rejected"))
        },
        .attack(
            "X2-13", "A nonce is posted with a code of X, which permits none.", severity: .medium,
            oracle:
                "The server responds with parameter_not_allowed and does not call X; the code stays valid.",
            source: "token-exchange API"
        ) { context in
            let code = try await context.xCode()
            let mark = try await context.mark()
            await context.fire(
                context.exchange(code.with("nonce", "a-nonce-of-mine")), expecting: .malformed("parameter_not_allowed"))
            try await context.expectCalls(["x.oauth2_token": 0], since: mark)
            try await context.mustStillWork(context.exchange(code))
        },
        .attack(
            "X2-14", "A stolen code is posted with its public `code_challenge` as verifier.",
            oracle: "X rejects the wrong verifier; the server mints no token.", source: "RFC 7636 4.6"
        ) { context in
            let verifier = String(repeating: "v", count: 43)
            let code = try await context.xCode(verifier: verifier)
            let challenge = AttackContext.challenge(verifier)
            await context.fire(
                context.exchange(code.with("code_verifier", .string(challenge))), expecting: .refused("code_rejected"))
        },
    )
}

extension AttackContext {
    func xToken(application: String) async throws -> String {
        try await issued(
            [
                "provider": "twitter.com", "protocol": "oauth2", "user": "alice",
                "application": .string(application),
            ], "access_token")
    }

    /// Posts an access token of X, which the server must not send to X.
    fileprivate func fire(bearerOf application: String) async throws {
        let token = try await xToken(application: application)
        let mark = try await mark()
        let credential = JSON.accessToken(token, nonce: try await xNonce())
        await fire(exchange(credential, provider: "twitter.com"), expecting: .refused("audience_unverifiable"))
        try await expectCalls(["x.users_me": 0, "x.verify_credentials": 0], since: mark)
    }
}
