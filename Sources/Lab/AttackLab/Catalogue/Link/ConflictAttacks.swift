internal import Jansson

/// Misuse of pending credentials, which the server returns with a conflict.
enum ConflictAttacks {
    private static let second = AttackContext.secondProvider
    /// Expects a refusal because the store has no such credential for this client, provider and account.
    private static let wrong = Expectation.refused("code_rejected")

    static let all = Section(.link, .critical, needs: [.standIns, .accounts]).attacks(
        .attack(
            "LK-20", "A pending credential is used twice, at EXCHANGE, LINK and MERGE.",
            oracle: "The server responds with 400 replayed.",
            source: "token-exchange API: pending"
        ) { context in
            let (caller, holder) = (try await context.enter(), try await context.enter(at: second))
            let pending = try await context.conflict(caller, with: holder)
            let answer = try await context.honest(context.exchange(pending, provider: second))
            await context.expect(answer["uid"] == holder.uid, .minted, "It signs in as another user.")
            let expectation = Expectation.refused("replayed")
            await context.fire(context.exchange(pending, provider: second), expecting: expectation)
            await context.fire(context.link(caller.bearer, pending, provider: second), expecting: expectation)
            await context.fire(
                context.merge(caller.bearer, ["pending_credential": pending["pending_credential"] ?? ""]),
                expecting: expectation)
        },
        .attack(
            "LK-21", "A pending credential of one application is used by another.",
            oracle: "The server responds with 400 code_rejected; the right application can still use the credential.",
            source: "token-exchange API: pending"
        ) { context in
            let (caller, holder) = (try await context.enter(), try await context.enter(at: second))
            let pending = try await context.conflict(caller, with: holder)
            let other = context.lab.application.otherClientID
            await context.fire(context.exchange(pending, provider: second, clientID: other), expecting: wrong)
            await context.fire(
                context.link(caller.bearer, pending, provider: second, clientID: other), expecting: wrong)
            await context.fire(
                context.merge(
                    caller.bearer, ["pending_credential": pending["pending_credential"] ?? ""], clientID: other),
                expecting: wrong)
            try await context.mustStillWork(context.exchange(pending, provider: second))
        },
        .attack(
            "LK-22", "The pending credential of another user's conflict is sent to LINK and MERGE.",
            oracle:
                "The server responds with 400 code_rejected to other uids; the credential stays usable.",
            source: "token-exchange API: pending"
        ) { context in
            let (caller, holder) = (try await context.enter(), try await context.enter(at: second))
            let thief = try await context.enter()
            let pending = try await context.conflict(caller, with: holder)
            let proof = ["pending_credential": pending["pending_credential"] ?? ""]
            for bearer in [thief.bearer, holder.bearer] {
                await context.fire(context.link(bearer, pending, provider: second), expecting: wrong)
                await context.fire(context.merge(bearer, proof), expecting: wrong)
            }
            try await context.expectIdentities(thief, [thief.provider: thief.subject])
            try await context.mustStillWork(context.exchange(pending, provider: second))
        },
        .attack(
            "LK-23",
            "A pending credential is sent with one changed character, truncated, extended, or with another prefix.",
            oracle: "The server responds with 400 code_rejected.", source: "handles"
        ) { context in
            let (caller, holder) = (try await context.enter(), try await context.enter(at: second))
            let pending = try await context.conflict(caller, with: holder)
            let text = pending["pending_credential"]?.string ?? ""
            for changed in Spoilt.texts(of: text) {
                let credential = JSON.pending(changed)
                await context.fire(context.exchange(credential, provider: second), expecting: wrong)
                await context.fire(
                    context.merge(caller.bearer, ["pending_credential": .string(changed)]), expecting: wrong)
            }
            await context.fire(context.exchange(pending, provider: "yahoo.com"), expecting: wrong)
            try await context.mustStillWork(context.exchange(pending, provider: second))
        },
        .attack(
            "LK-24", "A pending credential is used twenty times concurrently, at three endpoints.",
            oracle: "Exactly one request succeeds.",
            source: "CVE-2026-53518"
        ) { context in
            let (caller, holder) = (try await context.enter(), try await context.enter(at: second))
            let pending = try await context.conflict(caller, with: holder)
            let text = pending["pending_credential"] ?? ""
            let requests = (0..<20).map { index in
                index.isMultiple(of: 2)
                    ? context.exchange(pending, provider: second)
                    : context.merge(caller.bearer, ["pending_credential": text])
            }
            await context.volley(requests, losers: .refused("replayed")) { $0.status == 200 }
        },
        .attack(
            "LK-25", "A pending credential is sent to REAUTHENTICATE.", severity: .high,
            oracle: "The server responds with 400 intent_mismatch.",
            source: "token-exchange API: pending"
        ) { context in
            let (caller, holder) = (try await context.enter(), try await context.enter(at: second))
            let pending = try await context.conflict(caller, with: holder)
            await context.fire(
                context.reauthenticate(holder.bearer, pending, provider: second),
                expecting: .refused("intent_mismatch"))
            await context.fire(
                context.reauthenticate(caller.bearer, pending, provider: second),
                expecting: .refused("intent_mismatch"))
        },
        .attack(
            "LK-26", "Sessions, nonces, other sealed values and ID tokens are sent as pending credentials.",
            severity: .high,
            oracle: "The server responds with 400 code_rejected: no sealed value is a pending credential.",
            source: "typed records"
        ) { context in
            let caller = try await context.enter()
            let session = try await context.session(of: "mallory", intent: "link", bearer: caller.bearer)
            let nonce = try await context.nonce()
            for text in [session["session"]?.string ?? "", nonce.verifier, caller.bearer, caller.customToken] {
                let credential = JSON.pending(text)
                await context.fire(context.exchange(credential), expecting: wrong)
                await context.fire(
                    context.merge(caller.bearer, ["pending_credential": .string(text)]), expecting: wrong)
            }
        },
        .attack(
            "LK-27", "A pending credential is used after eleven minutes.", severity: .high,
            oracle: "The server responds with 400 expired.",
            source: "token-exchange API: pending", needs: [.standIns, .accounts, .processes, .clock]
        ) { context in
            try await context.withServer("late") { _ in
            } _: { server, bed in
                let (caller, holder) = (
                    try await context.enter(wire: server.wire), try await context.enter(at: second, wire: server.wire)
                )
                let pending = try await context.conflict(caller, with: holder, wire: server.wire)
                await bed.stop(server)
                try await bed.restart(server, clockOffset: 660)
                await context.fire(
                    context.exchange(pending, provider: second), expecting: .refused("expired"), at: server.wire)
            }
        },
    )
}

/// Returns texts that differ slightly from a sealed one.
enum Spoilt {
    static func texts(of text: String) -> [String] {
        let characters = Array(text)
        var spoilt = [String(text.dropLast()), text + "A", text + "=", " " + text, text.uppercased(), ""]
        for index in [0, characters.count / 3, characters.count / 2, characters.count - 2] where index >= 0 {
            var changed = characters
            changed[index] = changed[index] == "A" ? "B" : "A"
            spoilt.append(String(changed))
        }
        return spoilt.filter { $0 != text && !$0.isEmpty }
    }
}
