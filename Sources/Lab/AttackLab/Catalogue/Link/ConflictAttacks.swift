internal import Jansson

/// Pending credentials: what a conflict hands out, used where it must not be.
enum ConflictAttacks {
    private static let second = Strike.secondProvider
    /// It is not one of the store for this client, provider and account.
    private static let wrong = Expectation.refused("code_rejected")

    static let all = Section(.link, .critical, needs: [.standIns, .accounts]).attacks(
        .attack(
            "LK-20", "A pending credential is used twice, at EXCHANGE, LINK and MERGE.", oracle: "400 replayed.",
            source: "http-api.md: pending"
        ) { strike in
            let (caller, holder) = (try await strike.enter(), try await strike.enter(at: second))
            let pending = try await strike.conflict(caller, with: holder)
            let answer = try await strike.honest(strike.exchange(pending, provider: second))
            await strike.expect(answer["uid"] == holder.uid, .minted, "It signs in as another person.")
            let expectation = Expectation.refused("replayed")
            await strike.fire(strike.exchange(pending, provider: second), expecting: expectation)
            await strike.fire(strike.link(caller.bearer, pending, provider: second), expecting: expectation)
            await strike.fire(
                strike.merge(caller.bearer, ["pending_credential": pending["pending_credential"] ?? ""]),
                expecting: expectation)
        },
        .attack(
            "LK-21", "A pending credential of one application is used by another.",
            oracle: "400 code_rejected, and it is not used up.", source: "http-api.md: pending"
        ) { strike in
            let (caller, holder) = (try await strike.enter(), try await strike.enter(at: second))
            let pending = try await strike.conflict(caller, with: holder)
            let other = strike.lab.application.otherClientID
            await strike.fire(strike.exchange(pending, provider: second, clientID: other), expecting: wrong)
            await strike.fire(
                strike.link(caller.bearer, pending, provider: second, clientID: other), expecting: wrong)
            await strike.fire(
                strike.merge(
                    caller.bearer, ["pending_credential": pending["pending_credential"] ?? ""], clientID: other),
                expecting: wrong)
            try await strike.mustStillWork(strike.exchange(pending, provider: second))
        },
        .attack(
            "LK-22", "The pending credential of another person's conflict is linked and merged.",
            oracle: "400 code_rejected for every uid but the one that provoked it; it is not used up.",
            source: "http-api.md: pending"
        ) { strike in
            let (caller, holder) = (try await strike.enter(), try await strike.enter(at: second))
            let thief = try await strike.enter()
            let pending = try await strike.conflict(caller, with: holder)
            let proof = ["pending_credential": pending["pending_credential"] ?? ""]
            for bearer in [thief.bearer, holder.bearer] {
                await strike.fire(strike.link(bearer, pending, provider: second), expecting: wrong)
                await strike.fire(strike.merge(bearer, proof), expecting: wrong)
            }
            try await strike.expectIdentities(thief, [thief.provider: thief.subject])
            try await strike.mustStillWork(strike.exchange(pending, provider: second))
        },
        .attack(
            "LK-23", "A pending credential is changed in one character, cut, lengthened, or renamed.",
            oracle: "400 code_rejected.", source: "handles"
        ) { strike in
            let (caller, holder) = (try await strike.enter(), try await strike.enter(at: second))
            let pending = try await strike.conflict(caller, with: holder)
            let text = pending["pending_credential"]?.string ?? ""
            for changed in Spoilt.texts(of: text) {
                let credential: JSON = ["type": "pending", "pending_credential": .string(changed)]
                await strike.fire(strike.exchange(credential, provider: second), expecting: wrong)
                await strike.fire(
                    strike.merge(caller.bearer, ["pending_credential": .string(changed)]), expecting: wrong)
            }
            await strike.fire(strike.exchange(pending, provider: "yahoo.com"), expecting: wrong)
            try await strike.mustStillWork(strike.exchange(pending, provider: second))
        },
        .attack(
            "LK-24", "A pending credential is used twenty times at once, at three doors.", oracle: "One succeeds.",
            source: "CVE-2026-53518"
        ) { strike in
            let (caller, holder) = (try await strike.enter(), try await strike.enter(at: second))
            let pending = try await strike.conflict(caller, with: holder)
            let text = pending["pending_credential"] ?? ""
            let requests = (0..<20).map { index in
                index.isMultiple(of: 2)
                    ? strike.exchange(pending, provider: second)
                    : strike.merge(caller.bearer, ["pending_credential": text])
            }
            await strike.volley(requests, losers: .refused("replayed")) { $0.status == 200 }
        },
        .attack(
            "LK-25", "A pending credential reauthenticates.", severity: .high, oracle: "400 intent_mismatch.",
            source: "http-api.md: pending"
        ) { strike in
            let (caller, holder) = (try await strike.enter(), try await strike.enter(at: second))
            let pending = try await strike.conflict(caller, with: holder)
            await strike.fire(
                strike.reauthenticate(holder.bearer, pending, provider: second),
                expecting: .refused("intent_mismatch"))
            await strike.fire(
                strike.reauthenticate(caller.bearer, pending, provider: second),
                expecting: .refused("intent_mismatch"))
        },
        .attack(
            "LK-26", "Other sealed values, sessions, nonces and ID tokens, are sent as pending credential.",
            severity: .high, oracle: "400 code_rejected: nothing that is sealed is a pending credential.",
            source: "typed records"
        ) { strike in
            let caller = try await strike.enter()
            let session = try await strike.session(of: "mallory", intent: "link", bearer: caller.bearer)
            let nonce = try await strike.nonce()
            for text in [session["session"]?.string ?? "", nonce.verifier, caller.bearer, caller.customToken] {
                let credential: JSON = ["type": "pending", "pending_credential": .string(text)]
                await strike.fire(strike.exchange(credential), expecting: wrong)
                await strike.fire(
                    strike.merge(caller.bearer, ["pending_credential": .string(text)]), expecting: wrong)
            }
        },
        .attack(
            "LK-27", "A pending credential of eleven minutes ago is used.", severity: .high, oracle: "400 expired.",
            source: "http-api.md: pending", needs: [.standIns, .accounts, .processes, .clock]
        ) { strike in
            try await strike.withServer("late") { _ in
            } _: { server, bed in
                let (caller, holder) = (
                    try await strike.enter(wire: server.wire), try await strike.enter(at: second, wire: server.wire)
                )
                let pending = try await strike.conflict(caller, with: holder, wire: server.wire)
                await bed.stop(server)
                try await bed.restart(server, clockOffset: 660)
                await strike.fire(
                    strike.exchange(pending, provider: second), expecting: .refused("expired"), at: server.wire)
            }
        },
    )
}

/// Texts that are nearly a sealed one.
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
