internal import Jansson
internal import OpenSSL

/// Accounts that an attacker prepares for a victim, and takeovers of a victim's account.
enum TakeoverAttacks {
    private static let second = Strike.secondProvider

    static let all = Section(.link, .critical, needs: [.standIns, .accounts]).attacks(
        .attack(
            "LK-28", "The bearer of an account that was deleted, and of one that was merged away, asks.",
            oracle: "401 account_gone for good; the identity's next account has another uid.",
            source: "http-api.md: such uids are kept for good"
        ) { strike in
            let victim = try await strike.enter()
            try await strike.honest(strike.deleteAccount(victim.bearer))
            let fresh = try await strike.bearer(of: victim.uid)
            for bearer in [victim.bearer, fresh] {
                await strike.fireEverywhere(bearer, expecting: .unauthorized("account_gone"), onlyBodiless: true)
            }
            let proof = try await strike.proof(of: try strike.freshSubject(), at: second)
            await strike.fire(
                strike.link(fresh, proof, provider: second), expecting: .unauthorized("account_gone"))
            let again = try await strike.enter(victim.subject)
            await strike.expect(again.uid != victim.uid, .minted, "A deleted uid came back.")
        },
        .attack(
            "LK-19", "A user whom an administrator disabled signs in, links and reauthenticates.",
            oracle: "403 user_disabled each time; no sign-in enables the account again.",
            source: "CVE-2026-58422; CVE-2026-55987", needs: [.standIns, .processes, .accounts]
        ) { strike in
            try await strike.withServer("disabling") { server, bed in
                let victim = try await strike.enter(wire: server.wire)
                let link = try await strike.proof(of: try strike.freshSubject(), at: second, wire: server.wire)
                try await bed.setDisabled(true, victim.uid, at: server)
                let expectation = Expectation.denied("user_disabled")
                for _ in 0..<2 {
                    let proof = try await strike.proof(of: victim.subject, wire: server.wire)
                    await strike.fire(strike.exchange(proof), expecting: expectation, at: server.wire)
                }
                let own = try await strike.proof(of: victim.subject, wire: server.wire)
                let requests = [
                    strike.account(victim.bearer), strike.link(victim.bearer, link, provider: second),
                    strike.reauthenticate(victim.bearer, own), strike.deleteAccount(victim.bearer),
                ]
                for request in requests { await strike.fire(request, expecting: expectation, at: server.wire) }
                try await bed.setDisabled(false, victim.uid, at: server)
                let again = try await strike.enter(victim.subject, wire: server.wire)
                await strike.expect(again.uid == victim.uid, .consumed, "The account was lost meanwhile.")
            }
        },
        .attack(
            "LK-43", "The attacker holds, at Firebase, the uid that the victim's first sign-in would get.",
            oracle: "The victim gets another uid: one is never given twice.", source: "CWE-694; uid templates"
        ) { strike in
            let subject = try strike.freshSubject()
            let squatter = try await strike.stranger("yahoo.com:" + subject)
            try await strike.honest(strike.account(squatter.bearer))
            let victim = try await strike.enter(subject)
            await strike.expect(victim.uid != squatter.uid, .minted, "The victim is in the attacker's account.")
            try await strike.expectIdentities(squatter, [:])
        },
    )
}

extension Strike {
    func freshAddress() throws -> String { "p\(Base16.encode(try SecureRandom.bytes(6)))@example.org" }

    /// A server on which a verified address belongs to one account.
    func withOneAccountPerEmail(_ body: (Wire) async throws -> Void) async throws {
        try await withServer("one-per-email") {
            $0.set("accounts/one_account_per_email", true)
        } _: { server, _ in
            try await body(server.wire)
        }
    }

    /// Tries again for a few seconds: a server may remember for a moment that something was not there.
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
