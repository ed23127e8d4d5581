internal import Jansson

/// ID tokens that were used before.
enum Replays {
    /// A token that was accepted once, and the request that did it.
    static func used(_ strike: Strike, rsa: Bool = false) async throws -> (token: String, verifier: String) {
        let (token, verifier) = try await fresh(strike, rsa: rsa)
        try await strike.honest(strike.exchange(idToken: token, nonce: verifier))
        return (token, verifier)
    }

    /// A token that was not posted before.
    static func fresh(_ strike: Strike, rsa: Bool = false) async throws -> (token: String, verifier: String) {
        let (nonce, verifier) = try await strike.nonce()
        var draft = try await strike.draft(nonce: nonce)
        if rsa { draft.useRSA(try await strike.providerKey("rsa_kid")) }
        let token = try await draft.token(by: strike.standIns)
        await strike.secret(token)
        return (token, verifier)
    }

    static let attacks: [Attack] = [
        replay("IDT-39a", "An ID token is posted a second time, at once.", reveals: [.notRemembered]) { strike in
            let (token, verifier) = try await used(strike)
            for _ in 0..<3 {
                await strike.fire(strike.exchange(idToken: token, nonce: verifier), expecting: .refused("replayed"))
            }
        },
        replay("IDT-39b", "A used ID token is posted again with a fresh nonce verifier.") { strike in
            let token = try await used(strike).token
            let verifier = try await strike.nonce().verifier
            await strike.fire(
                strike.exchange(idToken: token, nonce: verifier), expecting: .refused("nonce_mismatch", "replayed"))
        },
        replay("IDT-39c", "A used ID token is posted again by another application of the server.") { strike in
            let (token, verifier) = try await used(strike)
            await strike.fire(
                strike.exchange(idToken: token, nonce: verifier, clientID: strike.lab.application.otherClientID),
                expecting: .refused("nonce_mismatch", "replayed"))
        },
        replay(
            "IDT-39d", "A used ID token is posted again from another address.", needs: [.standIns, .addresses],
            reveals: [.notRemembered]
        ) { strike in
            let (token, verifier) = try await used(strike)
            await strike.fire(
                strike.exchange(idToken: token, nonce: verifier), expecting: .refused("replayed"),
                from: strike.elsewhere)
        },
        replay(
            "IDT-39e", "A used ID token is posted again three seconds later.", needs: [.standIns, .patience],
            reveals: [.notRemembered]
        ) { strike in
            let (token, verifier) = try await used(strike)
            try await Task.sleep(for: .seconds(3))
            await strike.fire(strike.exchange(idToken: token, nonce: verifier), expecting: .refused("replayed"))
        },
        replay(
            "IDT-39f", "A used ID token is posted again for another provider of the same issuer.",
            needs: [.standIns, .discovery]
        ) { strike in
            let token = try await used(strike).token
            let verifier = try await strike.nonce(provider: "op.example").verifier
            let credential: JSON = ["type": "id_token", "id_token": .string(token), "nonce": .string(verifier)]
            await strike.fire(
                strike.exchange(credential, provider: "op.example"), expecting: .refused("nonce_mismatch", "replayed"))
        },
        replay(
            "IDT-28j", "A nonce verifier that was used is posted with another ID token that holds its nonce.",
            reveals: [.notRemembered, .rememberedByText]
        ) { strike in
            let (nonce, verifier) = try await strike.nonce()
            for subject in ["FIRSTOFTWO", "SECONDOFTWO"] {
                let token = try await strike.draft(subject: subject, nonce: nonce).token(by: strike.standIns)
                let request = strike.exchange(idToken: token, nonce: verifier)
                if subject == "FIRSTOFTWO" {
                    try await strike.honest(request)
                } else {
                    await strike.fire(request, expecting: .refused("replayed"))
                }
            }
        },
        replay(
            "IDT-46", "A token is posted with a wrong verifier, then with a broken signature, then rightly.",
            reveals: [
                .signatureUnchecked, .nonceIgnored, .accessTokenHashIgnored, .accessTokenHashOptional, .notRemembered,
            ]
        ) { strike in
            let (token, verifier) = try await fresh(strike)
            let other = try await strike.nonce().verifier
            await strike.fire(
                strike.exchange(idToken: token, nonce: other), expecting: .refused("nonce_mismatch"))
            let turned = TokenSpelling.signature(of: token) { [$0[0] ^ 1] + $0.dropFirst() }
            await strike.fire(
                strike.exchange(idToken: turned, nonce: verifier), expecting: .refused("signature_invalid"))
            await strike.fire(
                strike.exchange(idToken: token, nonce: verifier, accessToken: "another"),
                expecting: .refused("at_hash_mismatch"))
            try await strike.mustStillWork(strike.exchange(idToken: token, nonce: verifier))
            await strike.fire(strike.exchange(idToken: token, nonce: verifier), expecting: .refused("replayed"))
        },
    ]

    static func replay(
        _ id: String, _ sentence: String, needs: Set<Need> = [.standIns], reveals: Set<Mistake> = [],
        strike: @escaping @Sendable (Strike) async throws -> Void
    ) -> Attack {
        Attack(
            id, .idToken, .high, sentence, oracle: "An ID token is good for one success, by what is signed of it.",
            source: "CVE-2020-15222; CVE-2026-9802; Wycheproof json_web_signature 374; measured: ECDSA malleability",
            needs: needs, reveals: reveals, strike: strike)
    }
}
