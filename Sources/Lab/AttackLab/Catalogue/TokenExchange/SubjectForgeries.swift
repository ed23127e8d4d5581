internal import Jansson
internal import OpenSSL

extension Catalogue {
    /// Tokens that `POST /v1/exchange` refuses, posted to the token endpoint: TX-01.
    static let subjectForgeries: [Attack] = [
        forgery("a", "of another audience", ["audience_mismatch"], [.audienceUnchecked, .forgottenDoor]) {
            draft, _ in draft.claims["aud"] = "another-client"
        },
        forgery("b", "of another issuer", ["issuer_mismatch"], [.issuerUnchecked]) { draft, _ in
            draft.claims["iss"] = "https://issuer.example"
        },
        forgery(
            "c", "whose issuer only begins with the correct one", ["issuer_mismatch"],
            [.issuerUnchecked, .issuerPrefix]
        ) {
            draft, _ in
            if case .text(let issuer)? = draft.claims["iss"] {
                draft.claims["iss"] = .text(issuer + ".issuer.example")
            }
        },
        forgery("d", "that expired an hour ago", ["expired"], [.expiryUnchecked]) { draft, now in
            draft.claims["iat"] = .number(now - 300)
            draft.claims["exp"] = .number(now - 120)
        },
        forgery("e", "signed with another key", ["signature_invalid"], [.signatureUnchecked]) { draft, _ in
            draft.key = .foreign
        },
        forgery("f", "with `alg: none`", ["algorithm_not_allowed", "malformed_token"], [.noneAccepted]) { draft, _ in
            draft.header["alg"] = "none"
            draft.key = .none
        },
        forgery("g", "signed with HS256 and an empty secret", ["algorithm_not_allowed"], [.emptySecret]) { draft, _ in
            draft.header["alg"] = "HS256"
            draft.key = .custom { HMACSHA256.authenticationCode(for: $0, key: []) }
        },
        forgery("h", "that was issued an hour ago", ["too_old"], [.issueTimeUnchecked]) { draft, now in
            draft.claims["iat"] = .number(now - 3500)
            draft.claims["exp"] = .number(now + 100)
        },
        forgery("i", "with another nonce", ["nonce_mismatch"], [.nonceIgnored]) { draft, _ in
            draft.claims["nonce"] = "another"
        },
        forgery("j", "without a nonce", ["nonce_mismatch", "malformed_token"], [.nonceIgnored, .nonceOnlyIfPresent]) {
            draft, _ in draft.claims["nonce"] = nil
        },
        forgery("k", "of type `at+jwt`", ["malformed_token"], [.typeIgnored]) { draft, _ in
            draft.header["typ"] = "at+jwt"
        },
        forgery("l", "with an unknown `crit`", ["malformed_token"], [.criticalIgnored]) { draft, _ in
            draft.header["crit"] = ["exp"]
            draft.header["exp"] = 1
        },
        forgery("m", "with a duplicate `sub`", ["malformed_token"], [.duplicateMembers]) { draft, _ in
            draft.claims.append("sub", "ALICEWJNWVNQD4GXZ5NGMZUST4")
        },
        forgery("n", "without `exp`", ["malformed_token"], [.expiryUnchecked]) { draft, _ in
            draft.claims["exp"] = nil
        },
        forgery("o", "signed with a key that is in no key set", ["unknown_key"], []) { draft, _ in
            draft.header["kid"] = "unknown-key"
            draft.key = .foreign
        },
        forgery(
            "p", "for two audiences", ["audience_mismatch"], [.audienceUnchecked, .audienceAmongOthers, .forgottenDoor]
        ) { draft, _ in
            if case .text(let audience)? = draft.claims["aud"] { draft.claims["aud"] = [.text(audience), "another"] }
        },
    ]

    private static func forgery(
        _ letter: String, _ what: String, _ reasons: Set<String>, _ reveals: Set<Mistake>,
        _ change: @escaping @Sendable (inout TokenDraft, _ now: Int64) -> Void
    ) -> Attack {
        Attack(
            "TX-01" + letter, .tokenExchange, .critical, "The subject token is an ID token \(what).",
            oracle: "The server responds with invalid_request and the same reason as at every other endpoint.",
            source: "RFC 8693 2.2.2; CVE-2026-9094; CVE-2026-9097", needs: [.standIns, .tokenExchange],
            reveals: reveals
        ) { strike in
            let request = try await strike.forgedSubject { change(&$0, strike.lab.now) }
            await strike.fire(request, expecting: .badSubject(reasons))
        }
    }
}

extension Catalogue {
    static let subjectReplays = Section(.tokenExchange, .critical, needs: [.standIns, .tokenExchange]).attacks(
        .attack(
            "TX-03a", "The same subject token is exchanged twice, also from another address.",
            oracle: "The server responds with invalid_request, replayed.", source: "RFC 9700 4.5.3; CVE-2020-15222",
            reveals: [.notRemembered]
        ) { strike in
            let (token, verifier) = try await strike.subject()
            let request = strike.tokenExchange(token, nonce: verifier)
            try await strike.honest(request)
            await strike.fire(request, expecting: .badSubject(["replayed"]))
            await strike.fire(request, expecting: .badSubject(["replayed"]), from: strike.elsewhere)
        },
        .attack(
            "TX-03b", "The same subject token is exchanged 50 times concurrently.",
            oracle: "Exactly one request succeeds, the others are replayed.", source: "CVE-2026-53518; CVE-2026-47386",
            needs: [.standIns, .tokenExchange, .bulk], reveals: [.notRemembered, .checkThenAct]
        ) { strike in
            let (token, verifier) = try await strike.subject()
            let request = strike.tokenExchange(token, nonce: verifier)
            await strike.volley(Array(repeating: request, count: 50), losers: .badSubject(["replayed"]))
        },
        .attack(
            "TX-03c", "The same ID token is sent to both endpoints of two processes, 60 times concurrently.",
            oracle: "Exactly one request succeeds: all endpoints and processes share the record of used tokens.",
            source: "CVE-2026-53518; CVE-2026-47386", needs: [.standIns, .tokenExchange, .bulk, .processes]
        ) { strike in
            try await strike.withTwin { twin in
                for _ in 0..<2 {
                    let (token, verifier) = try await strike.subject()
                    let pair: [Request] = [
                        strike.tokenExchange(token, nonce: verifier), strike.exchange(idToken: token, nonce: verifier),
                    ]
                    let requests = (0..<60).map { pair[$0 / 2 % 2] }
                    await strike.volley(
                        requests, losers: .refused("replayed").or(.badSubject(["replayed"])),
                        at: [strike.lab.server, twin.wire])
                }
            }
        },
        .attack(
            "TX-03d", "An ID token that was used at `/v1/exchange` is posted to the token endpoint.",
            oracle: "The server responds with invalid_request, replayed.", source: "RFC 9700 4.5.3",
            reveals: [.notRemembered]
        ) { strike in
            let (token, verifier) = try await strike.subject()
            try await strike.honest(strike.exchange(idToken: token, nonce: verifier))
            await strike.fire(strike.tokenExchange(token, nonce: verifier), expecting: .badSubject(["replayed"]))
        },
        .attack(
            "TX-03e", "A used subject token is posted to `/v1/exchange`.",
            oracle: "The server responds with invalid_grant, replayed.", source: "RFC 9700 4.5.3",
            reveals: [.notRemembered]
        ) { strike in
            let (token, verifier) = try await strike.subject()
            try await strike.honest(strike.tokenExchange(token, nonce: verifier))
            await strike.fire(strike.exchange(idToken: token, nonce: verifier), expecting: .refused("replayed"))
        },
        .attack(
            "TX-03f",
            "A used subject token is posted with its signature rewritten, (r, n - s) for (r, s).",
            oracle: "The server responds with invalid_request, replayed: it records the signed part of a token.",
            source: "SEC 1 4.1; measured: ECDSA malleability", reveals: [.notRemembered, .rememberedByText]
        ) { strike in
            let (nonce, verifier) = try await strike.nonce()
            var draft = try await strike.draft(nonce: nonce)
            let first = try await draft.token(by: strike.standIns)
            draft.key = .malleated
            let second = try await draft.token(by: strike.standIns)
            try await strike.honest(strike.tokenExchange(first, nonce: verifier))
            await strike.fire(strike.tokenExchange(second, nonce: verifier), expecting: .badSubject(["replayed"]))
        },
        .attack(
            "TX-18", "The nonce is missing, or belongs to another client or provider.", severity: .high,
            oracle:
                "The server responds with nonce_mismatch or missing_field; the correct nonce still works.",
            source: "RFC 9700 4.5.3.2", reveals: [.nonceIgnored]
        ) { strike in
            let (token, verifier) = try await strike.subject()
            await strike.fire(
                strike.tokenExchange(token, nonce: verifier) { $0.set("nonce", nil) },
                expecting: .badSubject(["missing_field", "nonce_mismatch"]))
            let others: [String] = [
                try await strike.nonce(clientID: strike.lab.application.otherClientID).verifier,
                try await strike.nonce(provider: "twitter.com").verifier, try await strike.nonce().verifier,
                try await strike.nonce().nonce, verifier + "A", String(verifier.dropLast()),
            ]
            for nonce in others {
                await strike.fire(
                    strike.tokenExchange(token, nonce: nonce), expecting: .badSubject(["nonce_mismatch"]))
            }
            try await strike.mustStillWork(strike.tokenExchange(token, nonce: verifier))
        },
        .attack(
            "TX-19", "The subject token is garbage, too short, too long, or has too many segments.", severity: .medium,
            oracle: "The server responds with invalid_request, malformed_token, and does not spend the nonce.",
            source: "RFC 7515 5.2; RFC 8693 2.2.2"
        ) { strike in
            let (token, verifier) = try await strike.subject()
            let parts = token.components(".")
            let texts: [String] = [
                "a", ".", "..", "...", "e30.e30.", "e30..", parts[0] + "." + parts[1], token + ".",
                token + "." + parts[2],
                "." + token, token.replacing(".", with: ","), "Bearer " + token, token + "\u{1F600}",
                String(repeating: "a", count: 40_000),
            ]
            for text in texts {
                await strike.fire(
                    strike.tokenExchange(text, nonce: verifier), expecting: .badSubject(["malformed_token"]))
            }
            await strike.fire(strike.tokenExchange("", nonce: verifier), expecting: .malformed("missing_field"))
            try await strike.mustStillWork(strike.tokenExchange(token, nonce: verifier))
        },
    )
}
