internal import Jansson
internal import OpenSSL

/// Accounts that an attacker prepares for a victim, and attempts to take over a victim's account.
enum TakeoverAttacks {
    private static let second = AttackContext.secondProvider

    static let all = Section(.link, .critical, needs: [.standIns, .accounts]).attacks(
        .attack(
            "LK-28", "Requests are sent with the bearer tokens of a deleted account and of one that was merged away.",
            oracle: "The server always responds with 401 account_gone; the identity's next account has another uid.",
            source: "token-exchange API: such uids are kept for good"
        ) { context in
            let victim = try await context.enter()
            try await context.honest(context.deleteAccount(victim.bearer))
            let fresh = try await context.bearer(of: victim.uid)
            for bearer in [victim.bearer, fresh] {
                await context.fireEverywhere(bearer, expecting: .unauthorized("account_gone"), onlyBodiless: true)
            }
            let proof = try await context.proof(of: try context.freshSubject(), at: second)
            await context.fire(
                context.link(fresh, proof, provider: second), expecting: .unauthorized("account_gone"))
            let again = try await context.enter(victim.subject)
            await context.expect(again.uid != victim.uid, .minted, "A deleted uid was reused.")
        },
        .attack(
            "LK-19", "A user whom an administrator disabled calls EXCHANGE, LINK and REAUTHENTICATE.",
            oracle: "The server responds with 403 user_disabled each time; no sign-in enables the account again.",
            source: "CVE-2026-58422; CVE-2026-55987", needs: [.standIns, .processes, .accounts]
        ) { context in
            try await context.withServer("disabling") { server, bed in
                let victim = try await context.enter(wire: server.wire)
                let link = try await context.proof(of: try context.freshSubject(), at: second, wire: server.wire)
                try await bed.setDisabled(true, victim.uid, at: server)
                let expectation = Expectation.denied("user_disabled")
                for _ in 0..<2 {
                    let proof = try await context.proof(of: victim.subject, wire: server.wire)
                    await context.fire(context.exchange(proof), expecting: expectation, at: server.wire)
                }
                let own = try await context.proof(of: victim.subject, wire: server.wire)
                let requests = [
                    context.account(victim.bearer), context.link(victim.bearer, link, provider: second),
                    context.reauthenticate(victim.bearer, own), context.deleteAccount(victim.bearer),
                ]
                for request in requests { await context.fire(request, expecting: expectation, at: server.wire) }
                try await bed.setDisabled(false, victim.uid, at: server)
                let again = try await context.enter(victim.subject, wire: server.wire)
                await context.expect(again.uid == victim.uid, .consumed, "The account was lost.")
            }
        },
        .attack(
            "LK-43", "The attacker creates the uid at Firebase that the victim's first sign-in would get.",
            oracle: "The victim gets another uid: the server assigns no uid twice.", source: "CWE-694; uid templates"
        ) { context in
            let subject = try context.freshSubject()
            let squatter = try await context.stranger("yahoo.com:" + subject)
            // A call that changes the account records its uid.
            try await context.honest(context.enrollment(squatter.bearer))
            let victim = try await context.enter(subject)
            await context.expect(
                victim.uid != squatter.uid, .minted, "The victim is signed in to the attacker's account.")
            try await context.expectIdentities(squatter, [:])
        },
    )
}

extension AttackContext {
    func freshAddress() throws -> String { "p\(Base16.encode(try SecureRandom.bytes(6)))@example.org" }

    /// Runs a server on which a verified email address belongs to only one account.
    func withOneAccountPerEmail(_ body: (Wire) async throws -> Void) async throws {
        try await withServer("one-per-email") {
            $0.set("accounts/one_account_per_email", true)
        } _: { server, _ in
            try await body(server.wire)
        }
    }

    /// Retries for a few seconds, because a server may briefly cache that a value was missing.
    func patiently(_ step: () async throws -> Void) async throws {
        for _ in 0..<50 {
            do {
                return try await step()
            } catch is Inconclusive {
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        try await step()
    }
}

extension TokenDraft {
    mutating func holdsVerified(_ address: String) {
        claims["email"] = .text(address)
        claims["email_verified"] = true
    }
}

/// Pending credentials of flows that another user may have started, or of identities that have moved.
enum MovedIdentities {
    private static let second = AttackContext.secondProvider

    static let all = Section(.link, .critical, needs: [.standIns, .accounts]).attacks(
        .attack(
            "LK-47a",
            "A victim finishes the attacker's LINK flow; the attacker signs in with its pending credential.",
            oracle: "The server responds with 400 intent_mismatch: the credential is only for LINK and MERGE.",
            source: "CVE-2015-9284; COSF", needs: [.standIns, .accounts, .pushedRequests, .browserFlow]
        ) { context in
            try await context.expectNoSignIn { attacker in
                let (code, flow) = try await context.handoff(of: "mallory", bearer: attacker.bearer)
                return context.link(attacker.bearer, handoff: code, flow)
            }
        },
        .attack(
            "LK-47b",
            "A victim finishes the attacker's LINK session; the attacker signs in with its pending credential.",
            oracle: "The server responds with 400 intent_mismatch at EXCHANGE.", source: "CVE-2015-9284; COSF",
            needs: [.standIns, .accounts, .sessions]
        ) { context in
            try await context.expectNoSignIn { attacker in
                let credential = try await context.session(of: "mallory", intent: "link", bearer: attacker.bearer)
                return context.link(attacker.bearer, credential)
            }
        },
        .attack(
            "LK-48a",
            "A pending credential is used after its identity moved to a third account.",
            oracle:
                "The server responds with 400 expired at EXCHANGE, LINK and MERGE; the third account stays unchanged.",
            source: "TOCTOU; CWE-367"
        ) { context in
            let (caller, holder) = (try await context.enter(), try await context.enter(at: second))
            let pending = try await context.conflict(caller, with: holder)
            try await context.honest(context.deleteAccount(holder.bearer))
            let third = try await context.enter(holder.subject, at: second)
            await context.expectExpired(pending, for: caller)
            try await context.expectIdentities(third, [second: third.subject])
            try await context.expectIdentities(caller, [caller.provider: caller.subject])
        },
        .attack(
            "LK-48b", "A pending credential is used after the account of the conflict was deleted.", severity: .high,
            oracle: "The server responds with 400 expired at EXCHANGE, LINK and MERGE.", source: "TOCTOU; CWE-367"
        ) { context in
            let (caller, holder) = (try await context.enter(), try await context.enter(at: second))
            let pending = try await context.conflict(caller, with: holder)
            try await context.honest(context.deleteAccount(holder.bearer))
            await context.expectExpired(pending, for: caller)
            try await context.expectIdentities(caller, [caller.provider: caller.subject])
        },
    )
}

extension AttackContext {
    fileprivate func expectExpired(_ pending: JSON, for caller: Member) async {
        let second = AttackContext.secondProvider
        let proof = ["pending_credential": pending["pending_credential"] ?? ""]
        for request in [
            exchange(pending, provider: second), link(caller.bearer, pending, provider: second),
            merge(caller.bearer, proof),
        ] { await fire(request, expecting: .refused("expired")) }
    }

    /// Causes a conflict with the account of `mallory`, and posts its credential to EXCHANGE and REAUTHENTICATE.
    ///
    /// - `linking`: The LINK request of a flow that the attacker started and `mallory` finished.
    fileprivate func expectNoSignIn(_ linking: (Member) async throws -> Request) async throws {
        try await honest(try await genuine(user: "mallory").request)
        let attacker = try await enter(at: AttackContext.secondProvider)
        let answer = try await honest(try await linking(attacker), status: 409)
        guard let text = answer["pending_credential"] else { throw Inconclusive("There was no conflict.") }
        await secret(text)
        let pending = JSON.pending(text)
        await fire(exchange(pending), expecting: .refused("intent_mismatch"))
        await fire(reauthenticate(attacker.bearer, pending), expecting: .refused("intent_mismatch"))
        try await expectIdentities(attacker, [attacker.provider: attacker.subject])
        // The credential is valid for LINK, which causes the same conflict again.
        await fire(link(attacker.bearer, pending), expecting: .conflict("credential_already_in_use"))
    }
}
