extension Catalogue {
    static let subjectReplays = Section(.tokenExchange, .critical, needs: [.standIns, .tokenExchange]).attacks(
        .attack(
            "TX-03a", "The same subject token is exchanged twice, also from another address.",
            oracle: "The server responds with invalid_request, replayed.", source: "RFC 9700 4.5.3; CVE-2020-15222",
            reveals: [.notRemembered]
        ) { context in
            let (token, verifier) = try await context.subject()
            let request = context.tokenExchange(token, nonce: verifier)
            try await context.honest(request)
            await context.fire(request, expecting: .badSubject(["replayed"]))
            await context.fire(request, expecting: .badSubject(["replayed"]), from: context.elsewhere)
        },
        .attack(
            "TX-03b", "The same subject token is exchanged 50 times concurrently.",
            oracle: "Exactly one request succeeds, the others are replayed.", source: "CVE-2026-53518; CVE-2026-47386",
            needs: [.standIns, .tokenExchange, .bulk], reveals: [.notRemembered, .checkThenAct]
        ) { context in
            let (token, verifier) = try await context.subject()
            let request = context.tokenExchange(token, nonce: verifier)
            await context.volley(Array(repeating: request, count: 50), losers: .badSubject(["replayed"]))
        },
        .attack(
            "TX-03c", "The same ID token is sent to both endpoints of two processes, 60 times concurrently.",
            oracle: "Exactly one request succeeds: all endpoints and processes share the record of used tokens.",
            source: "CVE-2026-53518; CVE-2026-47386", needs: [.standIns, .tokenExchange, .bulk, .processes]
        ) { context in
            try await context.withTwin { twin in
                for _ in 0..<2 {
                    let (token, verifier) = try await context.subject()
                    let pair: [Request] = [
                        context.tokenExchange(token, nonce: verifier),
                        context.exchange(idToken: token, nonce: verifier),
                    ]
                    let requests = (0..<60).map { pair[$0 / 2 % 2] }
                    await context.volley(
                        requests, losers: .refused("replayed").or(.badSubject(["replayed"])),
                        at: [context.lab.server, twin.wire])
                }
            }
        },
        .attack(
            "TX-03d", "An ID token that was used at `/v1/exchange` is posted to the token endpoint.",
            oracle: "The server responds with invalid_request, replayed.", source: "RFC 9700 4.5.3",
            reveals: [.notRemembered]
        ) { context in
            let (token, verifier) = try await context.subject()
            try await context.honest(context.exchange(idToken: token, nonce: verifier))
            await context.fire(context.tokenExchange(token, nonce: verifier), expecting: .badSubject(["replayed"]))
        },
        .attack(
            "TX-03e", "A used subject token is posted to `/v1/exchange`.",
            oracle: "The server responds with invalid_grant, replayed.", source: "RFC 9700 4.5.3",
            reveals: [.notRemembered]
        ) { context in
            let (token, verifier) = try await context.subject()
            try await context.honest(context.tokenExchange(token, nonce: verifier))
            await context.fire(context.exchange(idToken: token, nonce: verifier), expecting: .refused("replayed"))
        },
        .attack(
            "TX-03f",
            "A used subject token is posted with its signature rewritten, (r, n - s) for (r, s).",
            oracle: "The server responds with invalid_request, replayed: it records the signed part of a token.",
            source: "SEC 1 4.1; measured: ECDSA malleability", reveals: [.notRemembered, .rememberedByText]
        ) { context in
            let (nonce, verifier) = try await context.nonce()
            var draft = try await context.draft(nonce: nonce)
            let first = try await draft.token(by: context.standIns)
            draft.key = .malleated
            let second = try await draft.token(by: context.standIns)
            try await context.honest(context.tokenExchange(first, nonce: verifier))
            await context.fire(context.tokenExchange(second, nonce: verifier), expecting: .badSubject(["replayed"]))
        },
        .attack(
            "TX-18", "The nonce is missing, or belongs to another client or provider.", severity: .high,
            oracle:
                "The server responds with nonce_mismatch or missing_field; the correct nonce still works.",
            source: "RFC 9700 4.5.3.2", reveals: [.nonceIgnored]
        ) { context in
            let (token, verifier) = try await context.subject()
            await context.fire(
                context.tokenExchange(token, nonce: verifier) { $0.set("nonce", nil) },
                expecting: .badSubject(["missing_field", "nonce_mismatch"]))
            let others: [String] = [
                try await context.nonce(clientID: context.lab.application.otherClientID).verifier,
                try await context.nonce(provider: "twitter.com").verifier, try await context.nonce().verifier,
                try await context.nonce().nonce, verifier + "A", String(verifier.dropLast()),
            ]
            for nonce in others {
                await context.fire(
                    context.tokenExchange(token, nonce: nonce), expecting: .badSubject(["nonce_mismatch"]))
            }
            try await context.mustStillWork(context.tokenExchange(token, nonce: verifier))
        },
        .attack(
            "TX-19", "The subject token is garbage, too short, too long, or has too many segments.", severity: .medium,
            oracle: "The server responds with invalid_request, malformed_token, and does not spend the nonce.",
            source: "RFC 7515 5.2; RFC 8693 2.2.2"
        ) { context in
            let (token, verifier) = try await context.subject()
            let parts = token.components(".")
            let texts: [String] = [
                "a", ".", "..", "...", "e30.e30.", "e30..", parts[0] + "." + parts[1], token + ".",
                token + "." + parts[2],
                "." + token, token.replacing(".", with: ","), "Bearer " + token, token + "\u{1F600}",
                String(repeating: "a", count: 40_000),
            ]
            for text in texts {
                await context.fire(
                    context.tokenExchange(text, nonce: verifier), expecting: .badSubject(["malformed_token"]))
            }
            await context.fire(context.tokenExchange("", nonce: verifier), expecting: .malformed("missing_field"))
            try await context.mustStillWork(context.tokenExchange(token, nonce: verifier))
        },
    )
}
