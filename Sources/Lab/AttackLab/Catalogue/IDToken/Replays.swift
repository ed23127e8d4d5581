internal import Jansson

/// Replays of used ID tokens.
enum Replays {
    /// Returns a token that the server accepted once, and the request that used it.
    static func used(_ context: AttackContext, rsa: Bool = false) async throws -> (token: String, verifier: String) {
        let (token, verifier) = try await fresh(context, rsa: rsa)
        try await context.honest(context.exchange(idToken: token, nonce: verifier))
        return (token, verifier)
    }

    /// Returns a token that was not posted before, and its request.
    static func fresh(_ context: AttackContext, rsa: Bool = false) async throws -> (token: String, verifier: String) {
        let (nonce, verifier) = try await context.nonce()
        var draft = try await context.draft(nonce: nonce)
        if rsa { draft.useRSA(try await context.providerKey("rsa_kid")) }
        let token = try await draft.token(by: context.standIns)
        await context.secret(token)
        return (token, verifier)
    }

    static let attacks: [Attack] = [
        replay("IDT-39a", "An ID token is posted again immediately.", reveals: [.notRemembered]) { context in
            let (token, verifier) = try await used(context)
            for _ in 0..<3 {
                await context.fire(context.exchange(idToken: token, nonce: verifier), expecting: .refused("replayed"))
            }
        },
        replay("IDT-39b", "A used ID token is posted again with a fresh nonce verifier.") { context in
            let token = try await used(context).token
            let verifier = try await context.nonce().verifier
            await context.fire(
                context.exchange(idToken: token, nonce: verifier), expecting: .refused("nonce_mismatch", "replayed"))
        },
        replay("IDT-39c", "A used ID token is posted again by another application of the server.") { context in
            let (token, verifier) = try await used(context)
            await context.fire(
                context.exchange(idToken: token, nonce: verifier, clientID: context.lab.application.otherClientID),
                expecting: .refused("nonce_mismatch", "replayed"))
        },
        replay(
            "IDT-39d", "A used ID token is posted again from another address.", needs: [.standIns, .addresses],
            reveals: [.notRemembered]
        ) { context in
            let (token, verifier) = try await used(context)
            await context.fire(
                context.exchange(idToken: token, nonce: verifier), expecting: .refused("replayed"),
                from: context.elsewhere)
        },
        replay(
            "IDT-39e", "A used ID token is posted again three seconds later.", needs: [.standIns, .patience],
            reveals: [.notRemembered]
        ) { context in
            let (token, verifier) = try await used(context)
            try await Task.sleep(for: .seconds(3))
            await context.fire(context.exchange(idToken: token, nonce: verifier), expecting: .refused("replayed"))
        },
        replay(
            "IDT-39f", "A used ID token is posted again for another provider of the same issuer.",
            needs: [.standIns, .discovery]
        ) { context in
            let token = try await used(context).token
            let verifier = try await context.nonce(provider: "op.example").verifier
            let credential = JSON.idToken(token, nonce: verifier)
            await context.fire(
                context.exchange(credential, provider: "op.example"), expecting: .refused("nonce_mismatch", "replayed"))
        },
        replay(
            "IDT-28j", "A nonce verifier that was used is posted with another ID token that holds its nonce.",
            reveals: [.notRemembered, .rememberedByText]
        ) { context in
            let (nonce, verifier) = try await context.nonce()
            for subject in ["FIRSTOFTWO", "SECONDOFTWO"] {
                let token = try await context.draft(subject: subject, nonce: nonce).token(by: context.standIns)
                let request = context.exchange(idToken: token, nonce: verifier)
                if subject == "FIRSTOFTWO" {
                    try await context.honest(request)
                } else {
                    await context.fire(request, expecting: .refused("replayed"))
                }
            }
        },
        replay(
            "IDT-46", "A token is posted with a wrong verifier, then with a broken signature, then correctly.",
            reveals: [
                .signatureUnchecked, .nonceIgnored, .accessTokenHashIgnored, .accessTokenHashOptional, .notRemembered,
            ]
        ) { context in
            let (token, verifier) = try await fresh(context)
            let other = try await context.nonce().verifier
            await context.fire(
                context.exchange(idToken: token, nonce: other), expecting: .refused("nonce_mismatch"))
            let turned = TokenSpelling.signature(of: token) { [$0[0] ^ 1] + $0.dropFirst() }
            await context.fire(
                context.exchange(idToken: turned, nonce: verifier), expecting: .refused("signature_invalid"))
            await context.fire(
                context.exchange(idToken: token, nonce: verifier, accessToken: "another"),
                expecting: .refused("at_hash_mismatch"))
            try await context.mustStillWork(context.exchange(idToken: token, nonce: verifier))
            await context.fire(context.exchange(idToken: token, nonce: verifier), expecting: .refused("replayed"))
        },
    ]

    static func replay(
        _ id: String, _ sentence: String, needs: Set<Need> = [.standIns], reveals: Set<Mistake> = [],
        run: @escaping @Sendable (AttackContext) async throws -> Void
    ) -> Attack {
        Attack(
            id, .idToken, .high, sentence,
            oracle: "The server accepts an ID token once, identified by its signed part.",
            source: "CVE-2020-15222; CVE-2026-9802; Wycheproof json_web_signature 374; measured: ECDSA malleability",
            needs: needs, reveals: reveals, run: run)
    }
}

/// Concurrent replays of one ID token, and replays after a restart.
enum ReplaysAtOnce {
    static let attacks: [Attack] = [
        Replays.replay(
            "IDT-40a", "An ID token is posted fifty times concurrently.", needs: [.standIns, .bulk],
            reveals: [.notRemembered, .checkThenAct]
        ) { context in
            let (token, verifier) = try await Replays.fresh(context)
            let request = context.exchange(idToken: token, nonce: verifier)
            await context.volley(Array(repeating: request, count: 50), losers: .refused("replayed"))
        },
        Replays.replay(
            "IDT-40b", "An ID token is posted fifty times concurrently to two servers that share a store.",
            needs: [.standIns, .bulk, .processes]
        ) { context in
            let (token, verifier) = try await Replays.fresh(context)
            let request = context.exchange(idToken: token, nonce: verifier)
            try await context.withTwin { twin in
                await context.volley(
                    Array(repeating: request, count: 50), losers: .refused("replayed"),
                    at: [context.lab.server, twin.wire])
            }
        },
        Replays.replay(
            "IDT-40c", "Thirty ID tokens with the same nonce are posted concurrently with its verifier.",
            needs: [.standIns, .bulk],
            reveals: [.notRemembered, .rememberedByText, .checkThenAct]
        ) { context in
            let (nonce, verifier) = try await context.nonce()
            var requests: [Request] = []
            for number in 0..<30 {
                let token = try await context.draft(subject: "RACER\(number)", nonce: nonce).token(by: context.standIns)
                requests.append(context.exchange(idToken: token, nonce: verifier))
            }
            await context.volley(requests, losers: .refused("replayed"))
        },
        Replays.replay(
            "IDT-41c", "An ID token is posted concurrently 25 times with (r, s) and 25 times with (r, n − s).",
            needs: [.standIns, .bulk], reveals: [.notRemembered, .rememberedByText, .checkThenAct]
        ) { context in
            let (token, verifier) = try await Replays.fresh(context)
            let other = TokenSpelling.signature(of: token, ECDSASignature.other(than:))
            let both = [token, other].map { context.exchange(idToken: $0, nonce: verifier) }
            await context.volley((0..<50).map { both[$0 % 2] }, losers: .refused("replayed"))
        },
        Replays.replay(
            "IDT-41d", "An ID token is posted concurrently with ten signatures of the provider over the same input.",
            needs: [.standIns, .bulk], reveals: [.notRemembered, .rememberedByText, .checkThenAct]
        ) { context in
            let (nonce, verifier) = try await context.nonce()
            let draft = try await context.draft(nonce: nonce)
            var requests: [Request] = []
            for _ in 0..<10 {
                let token = try await draft.token(by: context.standIns)
                requests.append(context.exchange(idToken: token, nonce: verifier))
            }
            await context.volley(requests, losers: .refused("replayed"))
        },
        Replays.replay(
            "IDT-42d", "The 32 encodings of one ES256 token are posted concurrently.", needs: [.standIns, .bulk],
            reveals: [.notRemembered, .rememberedByText, .checkThenAct, .crashOnGarbage]
        ) { context in
            let (token, verifier) = try await Replays.fresh(context)
            let other = TokenSpelling.signature(of: token, ECDSASignature.other(than:))
            var spellings: [String] = []
            for text in [token, other] {
                let signature = text.components(".")[2]
                for spelling in [signature] + TokenSpelling.tails(signature) {
                    spellings.append(TokenSpelling.replacing(2, of: text) { _ in spelling })
                }
            }
            await context.volley(
                spellings.map { context.exchange(idToken: $0, nonce: verifier) },
                losers: .refused("replayed", "malformed_token"))
        },
        restarted("IDT-45a", "the server was killed (SIGKILL)") { server, bed in
            await bed.kill(server)
            try await bed.restart(server)
        },
        restarted("IDT-45b", "the server was stopped (SIGTERM)") { server, bed in
            await bed.stop(server)
            try await bed.restart(server)
        },
        Attack(
            "IDT-45c", .idToken, .critical, "An ID token is posted again shortly before it expires, and shortly after.",
            oracle: "The server remembers the token until after it expires; then it rejects it as expired.",
            source: "CVE-2026-9802; node-oidc-provider f167233", needs: [.standIns, .processes, .clock, .patience]
        ) { context in
            // A verifier of POST /v1/nonce expires before the token, so this nonce is the application's own.
            var plan = ServerPlan("edge")
            plan.set("providers/yahoo.com/nonce", "client_plain")
            plan.set("providers/yahoo.com/max_age", "1d")
            try await context.withServer(plan) { server in
                let bed = try context.testBed
                let token = try await context.draft(nonce: "client-made-nonce").token(by: context.standIns)
                let request = context.exchange(idToken: token, nonce: "client-made-nonce")
                try await context.honest(request, at: server.wire)
                for (offset, expectation) in edges {
                    await bed.stop(server)
                    try await bed.restart(server, clockOffset: offset)
                    await context.fire(request, expecting: expectation, at: server.wire)
                }
            }
        },
    ]

    /// Seconds after `iat`, if `exp` is one hour after `iat` and the skew is one minute.
    private static let edges: [(Int64, Expectation)] = [
        (3600 - 5, .used), (3600 + 60 - 8, .used), (3600 + 61, .refused("expired")),
    ]

    private static func restarted(
        _ id: String, _ what: String, _ restart: @escaping @Sendable (TestServer, TestBed) async throws -> Void
    ) -> Attack {
        Attack(
            id, .idToken, .critical, "A used ID token is posted again after \(what) and restarted.",
            oracle: "The server stores the use before it issues a token: replayed, or issued_unwatched.",
            source: "CVE-2026-5774; CVE-2026-9802", needs: [.standIns, .restart],
            reveals: [.notRemembered, .forgottenAtRestart]
        ) { context in
            let bed = try context.testBed
            let (token, verifier) = try await Replays.used(context)
            try await restart(try await bed.usualServer(), bed)
            await context.fire(context.exchange(idToken: token, nonce: verifier), expecting: .used)
        }
    }
}
