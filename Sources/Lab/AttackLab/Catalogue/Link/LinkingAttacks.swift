internal import Jansson

/// Attempts to link an identity to an account to which it must not belong.
enum LinkingAttacks {
    private static let second = AttackContext.secondProvider

    static let all = Section(.link, .critical, needs: [.standIns, .accounts]).attacks(
        .attack(
            "LK-06", "The attacker links an identity that belongs to the victim's account.",
            oracle: "The server responds with 409 credential_already_in_use; the victim signs in as before.",
            source: "account takeover by linking"
        ) { context in
            let (attacker, victim) = (try await context.enter(), try await context.enter(at: second))
            let proof = try await context.proof(of: victim.subject, at: second)
            await context.fire(
                context.link(attacker.bearer, proof, provider: second),
                expecting: .conflict("credential_already_in_use"))
            await context.fire(context.link(attacker.bearer, proof, provider: second), expecting: .refused("replayed"))
            try await context.expectIdentities(attacker, [attacker.provider: attacker.subject])
            let again = try await context.enter(victim.subject, at: second)
            await context.expect(again.uid == victim.uid, .minted, "The victim has another uid than before.")
        },
        .attack(
            "LK-06b", "A second identity of a provider is linked to an account that has one.",
            oracle: "The server responds with 409 provider_already_linked; the credential stays usable for a sign-in.",
            source: "account takeover by linking"
        ) { context in
            let victim = try await context.enter()
            let proof = try await context.proof(of: try context.freshSubject())
            await context.fire(context.link(victim.bearer, proof), expecting: .conflict("provider_already_linked"))
            try await context.expectIdentities(victim, [victim.provider: victim.subject])
            let own = try await context.mustStillWork(context.exchange(proof))
            await context.expect(
                own?["uid"] != victim.uid, .minted, "The identity belongs to the account despite the refusal.")
        },
        .attack(
            "LK-08a", "A credential that was used for a sign-in is posted to LINK, and the reverse.", severity: .high,
            oracle: "The server responds with 400 replayed: all endpoints share the record of used credentials.",
            source: "IDT-44"
        ) { context in
            let caller = try await context.enter()
            let proof = try await context.proof(of: try context.freshSubject(), at: second)
            try await context.honest(context.exchange(proof, provider: second))
            await context.fire(
                context.link(caller.bearer, proof, provider: second), expecting: .refused("replayed"))
            try await context.expectIdentities(caller, [caller.provider: caller.subject])
            let fresh = try await context.proof(of: try context.freshSubject(), at: second)
            try await context.honest(context.link(caller.bearer, fresh, provider: second))
            await context.fire(context.exchange(fresh, provider: second), expecting: .refused("replayed"))
            await context.fire(
                context.reauthenticate(caller.bearer, fresh, provider: second), expecting: .refused("replayed"))
        },
        .attack(
            "LK-08b", "The victim's ID token for another application is posted to LINK.",
            oracle: "The server responds with 400 audience_mismatch.", source: "IDT-19"
        ) { context in
            let attacker = try await context.enter()
            let proof = try await context.proof(of: try context.freshSubject(), at: second) {
                $0.claims["aud"] = "other"
            }
            await context.fire(
                context.link(attacker.bearer, proof, provider: second), expecting: .refused("audience_mismatch"))
            try await context.expectIdentities(attacker, [attacker.provider: attacker.subject])
        },
        .attack(
            "LK-08c", "A forged ID token is posted to LINK and REAUTHENTICATE.",
            oracle: "The server responds with 400 signature_invalid or algorithm_not_allowed.", source: "RFC 8725 3.2"
        ) { context in
            let victim = try await context.enter()
            for key in [TokenDraft.Key.foreign, .none] {
                let proof = try await context.proof(of: victim.subject) { draft in
                    draft.key = key
                    if case .none = key { draft.header["alg"] = "none" }
                }
                let expectation = Expectation.refused("signature_invalid", "algorithm_not_allowed", "malformed_token")
                await context.fire(context.reauthenticate(victim.bearer, proof), expecting: expectation)
                await context.fire(context.link(victim.bearer, proof), expecting: expectation)
            }
        },
        .attack(
            "LK-08d",
            "An access token of the victim that another application received is posted to LINK without an ID token.",
            oracle: "The server responds with 400 audience_unverifiable.", source: "Salt Labs 2023"
        ) { context in
            let attacker = try await context.enter()
            let token = try await context.issued(
                ["provider": "yahoo.com", "user": "alice", "application": "hostile", "nonce": "n"], "access_token")
            let verifier = try await context.nonce(provider: second).verifier
            await context.fire(
                context.link(attacker.bearer, .accessToken(token, nonce: verifier), provider: second),
                expecting: .refused("audience_unverifiable"))
        },
        .attack(
            "LK-08e", "OAuth 1.0a token credentials that X issued to another application are posted to LINK.",
            oracle: "The server responds with 400 token_rejected.", source: "O1 audience",
            needs: [.standIns, .accounts, .oauth1]
        ) { context in
            let attacker = try await context.enter()
            let pair = try await context.pair(application: "hostile")
            let credential = JSON.object(pair.credential(nonce: try await context.xNonce()))
            await context.fire(
                context.link(attacker.bearer, credential, provider: "twitter.com"),
                expecting: .refused("token_rejected"))
            try await context.expectIdentities(attacker, [attacker.provider: attacker.subject])
        },
        .attack(
            "LK-15", "An anonymous account links an identity that belongs to another account.",
            oracle: "The server responds with 409 credential_already_in_use; the anonymous account stays unchanged.",
            source: "LK-06", needs: [.standIns, .accounts, .anonymous]
        ) { context in
            let (anonymous, holder) = (try await context.enterAnonymously(), try await context.enter())
            let pending = try await context.conflict(anonymous, with: holder)
            try await context.expectIdentities(anonymous, [:])
            let answer = try await context.honest(context.exchange(pending))
            await context.expect(answer["uid"] == holder.uid, .minted, "The caller's uid changed.")
        },
    )
}
