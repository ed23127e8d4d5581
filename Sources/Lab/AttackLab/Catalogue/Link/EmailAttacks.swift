internal import Jansson

/// Accounts that an attacker prepares under the victim's email address.
enum EmailAttacks {
    private static let second = AttackContext.secondProvider

    static let all = Section(.link, .critical, needs: [.standIns, .processes, .accounts]).attacks(
        .attack(
            "LK-14a",
            "The attacker creates an account with the victim's unverified email address before the victim signs in.",
            oracle: "The victim gets a separate uid and no conflict: an unverified address belongs to no account.",
            source: "pre-hijacking; CVE-2026-31813"
        ) { context in
            try await context.withOneAccountPerEmail { wire in
                for verified in [false, nil, "true", 1, "false"] as [Forged?] {
                    let address = try context.freshAddress()
                    let attacker = try await context.enter(wire: wire) { draft in
                        draft.claims["email"] = .text(address)
                        draft.claims["email_verified"] = verified
                    }
                    let victim = try await context.enter(at: second, wire: wire) { $0.holdsVerified(address) }
                    await context.expect(
                        victim.uid != attacker.uid, .minted, "The victim is signed in to the attacker's account.")
                }
            }
        },
        .attack(
            "LK-14b", "The attacker signs in with the victim's unverified email address after the victim signed in.",
            oracle: "The attacker gets a separate uid: no conflict, and no list of the victim's providers.",
            source: "nOAuth; CVE-2026-55075"
        ) { context in
            try await context.withOneAccountPerEmail { wire in
                let address = try context.freshAddress()
                let victim = try await context.enter(wire: wire) { $0.holdsVerified(address) }
                let attacker = try await context.enter(at: second, wire: wire) { draft in
                    draft.claims["email"] = .text(address)
                    draft.claims["email_verified"] = false
                }
                await context.expect(
                    victim.uid != attacker.uid, .minted, "The attacker is signed in to the victim's account.")
                try await context.expectIdentities(victim, ["yahoo.com": victim.subject], at: wire)
            }
        },
        .attack(
            "LK-14c", "A user signs in with another provider and the email address of an existing account.",
            oracle:
                "The server merges nothing; the pending credential links only to the existing account.",
            source: "nOAuth; pre-hijacking"
        ) { context in
            try await context.withOneAccountPerEmail { wire in
                let address = try context.freshAddress()
                let victim = try await context.enter(wire: wire) { $0.holdsVerified(address) }
                let subject = try context.freshSubject()
                let proof = try await context.proof(of: subject, at: second, wire: wire) { $0.holdsVerified(address) }
                let reply = await context.fire(
                    context.exchange(proof, provider: second),
                    expecting: .conflict("account_exists_with_different_credential"), at: wire)
                let pending = JSON.pending(reply.answer?["pending_credential"] ?? "")
                let text = ["pending_credential": pending["pending_credential"] ?? ""]
                let stranger = try await context.enter(wire: wire)
                let wrong = Expectation.refused("code_rejected", "intent_mismatch")
                await context.fire(
                    context.exchange(pending, provider: second), expecting: .refused("intent_mismatch"), at: wire)
                await context.fire(
                    context.link(stranger.bearer, pending, provider: second), expecting: wrong, at: wire)
                await context.fire(context.merge(stranger.bearer, text), expecting: wrong, at: wire)
                await context.fire(context.merge(victim.bearer, text), expecting: wrong, at: wire)
                try await context.expectIdentities(victim, ["yahoo.com": victim.subject], at: wire)
                try await context.honest(context.link(victim.bearer, pending, provider: second), at: wire)
                await context.fire(
                    context.link(victim.bearer, pending, provider: second), expecting: .refused("replayed"), at: wire)
            }
        },
        .attack(
            "LK-14d", "The attacker creates a password account at Firebase with the victim's unverified email address.",
            oracle: "The server does not adopt the unverified address: the victim signs in without a conflict.",
            source: "pre-hijacking"
        ) { context in
            try await context.withOneAccountPerEmail { wire in
                let (address, uid) = (try context.freshAddress(), try context.freshSubject())
                let token = try await context.bearer(
                    of: uid,
                    ["sign_in_provider": "password", "set": ["email": .string(address), "email_verified": false]])
                try await context.honest(context.account(token), at: wire)
                let victim = try await context.enter(wire: wire) { $0.holdsVerified(address) }
                await context.expect(victim.uid != uid, .minted, "The victim is signed in to the attacker's account.")
            }
        },
        .sweep(
            "LK-58",
            "After a merge into an account without an address, the address of the account that is gone signs in anew.",
            severity: .high,
            oracle: "The server responds with 409 account_exists_with_different_credential, with either directory.",
            source: "one account for each verified address", over: ["firebase", "local"]
        ) { context, directory in
            try await context.onOwnServer("merged-address") { plan in
                plan.set("accounts/one_account_per_email", true)
                plan.set("firebase/directory", .string(directory))
            } _: { context, _, _ in
                let address = try context.freshAddress()
                let kept = try await context.enter { $0.claims["email"] = nil }
                let gone = try await context.enter(at: second) { $0.holdsVerified(address) }
                try await context.honest(context.merge(kept.bearer, ["from_id_token": .string(gone.bearer)]))
                let proof = try await context.proof(of: try context.freshSubject()) { $0.holdsVerified(address) }
                await context.fire(
                    context.exchange(proof), expecting: .conflict("account_exists_with_different_credential"))
                try await context.expectIdentities(
                    kept, [kept.provider: kept.subject, second: gone.subject])
            }
        },
        .attack(
            "LK-14e", "The configuration permits shared addresses, and two providers send the same verified address.",
            oracle: "The server keeps two accounts: an address never joins accounts.", source: "nOAuth",
            needs: [.standIns, .accounts]
        ) { context in
            let address = try context.freshAddress()
            let one = try await context.enter { $0.holdsVerified(address) }
            let other = try await context.enter(at: second) { $0.holdsVerified(address) }
            await context.expect(one.uid != other.uid, .minted, "An email address joined two users.")
        },
    )
}
