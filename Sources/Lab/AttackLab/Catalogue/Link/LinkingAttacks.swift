internal import Jansson

/// Attempts to link an identity to an account to which it must not belong.
enum LinkingAttacks {
    private static let second = Strike.secondProvider

    static let all = Section(.link, .critical, needs: [.standIns, .accounts]).attacks(
        .attack(
            "LK-06", "The attacker links an identity that belongs to the victim's account.",
            oracle: "The server responds with 409 credential_already_in_use; the victim signs in as before.",
            source: "account takeover by linking"
        ) { strike in
            let (attacker, victim) = (try await strike.enter(), try await strike.enter(at: second))
            let proof = try await strike.proof(of: victim.subject, at: second)
            await strike.fire(
                strike.link(attacker.bearer, proof, provider: second),
                expecting: .conflict("credential_already_in_use"))
            await strike.fire(strike.link(attacker.bearer, proof, provider: second), expecting: .refused("replayed"))
            try await strike.expectIdentities(attacker, [attacker.provider: attacker.subject])
            let again = try await strike.enter(victim.subject, at: second)
            await strike.expect(again.uid == victim.uid, .minted, "The victim has another uid than before.")
        },
        .attack(
            "LK-06b", "A second identity of a provider is linked to an account that has one.",
            oracle: "The server responds with 409 provider_already_linked; the credential stays usable for a sign-in.",
            source: "account takeover by linking"
        ) { strike in
            let victim = try await strike.enter()
            let proof = try await strike.proof(of: try strike.freshSubject())
            await strike.fire(strike.link(victim.bearer, proof), expecting: .conflict("provider_already_linked"))
            try await strike.expectIdentities(victim, [victim.provider: victim.subject])
            let own = try await strike.mustStillWork(strike.exchange(proof))
            await strike.expect(
                own?["uid"] != victim.uid, .minted, "The identity belongs to the account despite the refusal.")
        },
        .attack(
            "LK-08a", "A credential that was used for a sign-in is posted to LINK, and the reverse.", severity: .high,
            oracle: "The server responds with 400 replayed: all endpoints share the record of used credentials.",
            source: "IDT-44"
        ) { strike in
            let caller = try await strike.enter()
            let proof = try await strike.proof(of: try strike.freshSubject(), at: second)
            try await strike.honest(strike.exchange(proof, provider: second))
            await strike.fire(
                strike.link(caller.bearer, proof, provider: second), expecting: .refused("replayed"))
            try await strike.expectIdentities(caller, [caller.provider: caller.subject])
            let fresh = try await strike.proof(of: try strike.freshSubject(), at: second)
            try await strike.honest(strike.link(caller.bearer, fresh, provider: second))
            await strike.fire(strike.exchange(fresh, provider: second), expecting: .refused("replayed"))
            await strike.fire(
                strike.reauthenticate(caller.bearer, fresh, provider: second), expecting: .refused("replayed"))
        },
        .attack(
            "LK-08b", "The victim's ID token for another application is posted to LINK.",
            oracle: "The server responds with 400 audience_mismatch.", source: "IDT-19"
        ) { strike in
            let attacker = try await strike.enter()
            let proof = try await strike.proof(of: try strike.freshSubject(), at: second) { $0.claims["aud"] = "other" }
            await strike.fire(
                strike.link(attacker.bearer, proof, provider: second), expecting: .refused("audience_mismatch"))
            try await strike.expectIdentities(attacker, [attacker.provider: attacker.subject])
        },
        .attack(
            "LK-08c", "A forged ID token is posted to LINK and REAUTHENTICATE.",
            oracle: "The server responds with 400 signature_invalid or algorithm_not_allowed.", source: "RFC 8725 3.2"
        ) { strike in
            let victim = try await strike.enter()
            for key in [TokenDraft.Key.foreign, .none] {
                let proof = try await strike.proof(of: victim.subject) { draft in
                    draft.key = key
                    if case .none = key { draft.header["alg"] = "none" }
                }
                let expectation = Expectation.refused("signature_invalid", "algorithm_not_allowed", "malformed_token")
                await strike.fire(strike.reauthenticate(victim.bearer, proof), expecting: expectation)
                await strike.fire(strike.link(victim.bearer, proof), expecting: expectation)
            }
        },
        .attack(
            "LK-08d",
            "An access token of the victim that another application received is posted to LINK without an ID token.",
            oracle: "The server responds with 400 audience_unverifiable.", source: "Salt Labs 2023"
        ) { strike in
            let attacker = try await strike.enter()
            let issued = try await strike.standIns.issue([
                "provider": "yahoo.com", "user": "alice", "application": "hostile", "nonce": "n",
            ])
            let nonce = try await strike.nonce(provider: second)
            let credential: JSON = [
                "type": "access_token", "access_token": issued["access_token"] ?? "", "nonce": .string(nonce.verifier),
            ]
            await strike.fire(
                strike.link(attacker.bearer, credential, provider: second),
                expecting: .refused("audience_unverifiable"))
        },
        .attack(
            "LK-08e", "OAuth 1.0a token credentials that X issued to another application are posted to LINK.",
            oracle: "The server responds with 400 token_rejected.", source: "O1 audience",
            needs: [.standIns, .accounts, .oauth1]
        ) { strike in
            let attacker = try await strike.enter()
            let pair = try await strike.standIns.issue([
                "provider": "twitter.com", "protocol": "oauth1", "user": "alice", "application": "hostile",
            ])
            let nonce = try await strike.nonce(provider: "twitter.com")
            let credential: JSON = [
                "type": "oauth1_token", "oauth_token": pair["oauth_token"] ?? "",
                "oauth_token_secret": pair["oauth_token_secret"] ?? "", "nonce": .string(nonce.verifier),
            ]
            await strike.fire(
                strike.link(attacker.bearer, credential, provider: "twitter.com"),
                expecting: .refused("token_rejected"))
            try await strike.expectIdentities(attacker, [attacker.provider: attacker.subject])
        },
        .attack(
            "LK-15", "An anonymous account links an identity that belongs to another account.",
            oracle: "The server responds with 409 credential_already_in_use; the anonymous account stays unchanged.",
            source: "LK-06", needs: [.standIns, .accounts, .anonymous]
        ) { strike in
            let (anonymous, holder) = (try await strike.enterAnonymously(), try await strike.enter())
            let pending = try await strike.conflict(anonymous, with: holder)
            try await strike.expectIdentities(anonymous, [:])
            let answer = try await strike.honest(strike.exchange(pending))
            await strike.expect(answer["uid"] == holder.uid, .minted, "The caller's uid changed.")
        },
    )
}
