internal import Jansson

/// Pending credentials that come from a flow which another person may have begun, and those whose identity has moved.
enum MovedIdentities {
    private static let second = Strike.secondProvider

    static let all = Section(.link, .critical, needs: [.standIns, .accounts]).attacks(
        .attack(
            "LK-47a",
            "A person finishes a browser flow that an attacker began to link; the attacker signs in with the conflict.",
            oracle: "400 intent_mismatch at EXCHANGE: such a pending credential links and merges, and never signs in.",
            source: "CVE-2015-9284; COSF", needs: [.standIns, .accounts, .pushedRequests, .browserFlow]
        ) { strike in
            try await strike.expectNoSignIn { attacker in
                let (code, flow) = try await strike.handoff(of: "mallory", intent: "link", bearer: attacker.bearer)
                return strike.link(attacker.bearer, handoff: code, flow)
            }
        },
        .attack(
            "LK-47b", "The same with a session of POST /v1/signin that was begun to link.",
            oracle: "400 intent_mismatch at EXCHANGE.", source: "CVE-2015-9284; COSF",
            needs: [.standIns, .accounts, .sessions]
        ) { strike in
            try await strike.expectNoSignIn { attacker in
                let credential = try await strike.session(of: "mallory", intent: "link", bearer: attacker.bearer)
                return strike.link(attacker.bearer, credential)
            }
        },
        .attack(
            "LK-48a",
            "A conflict arises with one account; its identity moves to a third one; the pending credential is used.",
            oracle: "400 expired at EXCHANGE, LINK and MERGE; the third account keeps what it has.",
            source: "TOCTOU; CWE-367"
        ) { strike in
            let (caller, holder) = (try await strike.enter(), try await strike.enter(at: second))
            let pending = try await strike.conflict(caller, with: holder)
            try await strike.honest(strike.deleteAccount(holder.bearer))
            let third = try await strike.enter(holder.subject, at: second)
            await strike.expectExpired(pending, for: caller)
            try await strike.expectIdentities(third, [second: third.subject])
            try await strike.expectIdentities(caller, [caller.provider: caller.subject])
        },
        .attack(
            "LK-48b", "The account of the conflict is gone when its pending credential is used.", severity: .high,
            oracle: "400 expired at EXCHANGE, LINK and MERGE.", source: "TOCTOU; CWE-367"
        ) { strike in
            let (caller, holder) = (try await strike.enter(), try await strike.enter(at: second))
            let pending = try await strike.conflict(caller, with: holder)
            try await strike.honest(strike.deleteAccount(holder.bearer))
            await strike.expectExpired(pending, for: caller)
            try await strike.expectIdentities(caller, [caller.provider: caller.subject])
        },
    )
}

extension Strike {
    fileprivate func expectExpired(_ pending: JSON, for caller: Member) async {
        let second = Strike.secondProvider
        let proof = ["pending_credential": pending["pending_credential"] ?? ""]
        for request in [
            exchange(pending, provider: second), link(caller.bearer, pending, provider: second),
            merge(caller.bearer, proof),
        ] { await fire(request, expecting: .refused("expired")) }
    }

    /// Provokes a conflict with the account of `mallory`, and posts what it gave at EXCHANGE and REAUTHENTICATE.
    ///
    /// - `linking`: the request that links, of a flow that was begun for the attacker and finished by `mallory`.
    fileprivate func expectNoSignIn(_ linking: (Member) async throws -> Request) async throws {
        try await honest(try await genuine(user: "mallory").request)
        let attacker = try await enter(at: Strike.secondProvider)
        let answer = try await honest(try await linking(attacker), status: 409)
        guard let text = answer["pending_credential"] else { throw Inconclusive("There was no conflict.") }
        await secret(text)
        let pending: JSON = ["type": "pending", "pending_credential": .string(text)]
        await fire(exchange(pending), expecting: .refused("intent_mismatch"))
        await fire(reauthenticate(attacker.bearer, pending), expecting: .refused("intent_mismatch"))
        try await expectIdentities(attacker, [attacker.provider: attacker.subject])
        // It is good for what it was begun for, which meets the same conflict.
        await fire(link(attacker.bearer, pending), expecting: .conflict("credential_already_in_use"))
    }
}
