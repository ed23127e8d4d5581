internal import Jansson

/// Unlinking of identities, and requests for accounts of other users.
enum UnlinkingAttacks {
    private static let second = Strike.secondProvider

    static let all = Section(.link, .high, needs: [.standIns, .accounts]).attacks(
        .attack(
            "LK-10", "The body or the path of a call names the uid of another account.", severity: .critical,
            oracle: "The server responds with 400 unknown_field and 404: the uid comes only from the bearer token.",
            source: "IDOR; CWE-639"
        ) { strike in
            let (attacker, victim) = (try await strike.enter(), try await strike.enter())
            let proof = try await strike.proof(of: try strike.freshSubject(), at: second)
            for name in ["uid", "user_id", "localId", "account", "sub"] {
                await strike.fire(
                    strike.link(
                        attacker.bearer, proof, provider: second, further: [name: .string(victim.uid)]),
                    expecting: .malformed("unknown_field"))
                await strike.fire(
                    .json(
                        "/v1/account/unlink", ["provider": "yahoo.com", name: .string(victim.uid)],
                        bearer: attacker.bearer), expecting: .malformed("unknown_field"))
                await strike.fire(
                    Request.get("/v1/account?\(name)=\(PercentEncoding.encode(victim.uid))").bearing(attacker.bearer),
                    expecting: .malformed("unknown_field"))
            }
            let path = "/v1/account/" + PercentEncoding.encode(victim.uid)
            for method in ["GET", "DELETE", "POST"] {
                await strike.fire(
                    Request(method, path).bearing(attacker.bearer),
                    expecting: Expectation(statuses: [404], errors: ["invalid_request"], reasons: ["not_found"]))
            }
            try await strike.expectIdentities(victim, [victim.provider: victim.subject])
        },
        .attack(
            "LK-12", "The attacker unlinks an identity of another account, an unknown one, and one identity twice.",
            oracle: "The server responds with 409 no_such_provider; the victim keeps the identity.",
            source: "IDOR; CWE-639"
        ) { strike in
            let (attacker, victim) = (try await strike.enter(), try await strike.enter(at: second))
            let expectation = Expectation.conflict("no_such_provider")
            await strike.fire(strike.unlink(attacker.bearer, second), expecting: expectation)
            await strike.fire(
                strike.unlink(attacker.bearer, "unknown.example"),
                expecting: expectation.or(.malformed("unknown_provider")))
            let proof = try await strike.proof(of: try strike.freshSubject(), at: second)
            try await strike.honest(strike.link(attacker.bearer, proof, provider: second))
            try await strike.honest(strike.unlink(attacker.bearer, second))
            await strike.fire(strike.unlink(attacker.bearer, second), expecting: expectation)
            try await strike.expectIdentities(victim, [second: victim.subject])
        },
        .attack(
            "LK-11a", "The last identity of an account is unlinked.",
            oracle: "The server responds with 409 last_identity.",
            source: "CVE-2019-5421", needs: [.standIns, .accounts, .anonymous]
        ) { strike in
            let victim = try await strike.enter()
            await strike.fire(strike.unlink(victim.bearer, victim.provider), expecting: .conflict("last_identity"))
            let anonymous = try await strike.enterAnonymously()
            let proof = try await strike.proof(of: try strike.freshSubject())
            try await strike.honest(strike.link(anonymous.bearer, proof))
            await strike.fire(strike.unlink(anonymous.bearer, "yahoo.com"), expecting: .conflict("last_identity"))
        },
        .attack(
            "LK-11b", "The last two identities of an account are unlinked concurrently.",
            oracle: "Exactly one is unlinked; the other requests get 409 last_identity.", source: "CVE-2019-5421"
        ) { strike in
            for _ in 0..<3 {
                let victim = try await strike.enter()
                let proof = try await strike.proof(of: try strike.freshSubject(), at: second)
                try await strike.honest(strike.link(victim.bearer, proof, provider: second))
                let requests = (0..<10).map {
                    strike.unlink(victim.bearer, $0.isMultiple(of: 2) ? "yahoo.com" : second)
                }
                await strike.volley(requests, losers: .conflict("last_identity", "no_such_provider")) {
                    $0.status == 200
                }
                let left = try await strike.identities(victim.bearer)
                await strike.expect(left.count == 1, .raced, "\(left.count) identities are left.")
            }
        },
        .attack(
            "LK-17", "An unlinked identity signs in again.", severity: .critical,
            oracle: "The identity gets a new uid, not the former one and not another user's.", source: "uid stability"
        ) { strike in
            let victim = try await strike.enter()
            let subject = try strike.freshSubject()
            let proof = try await strike.proof(of: subject, at: second)
            try await strike.honest(strike.link(victim.bearer, proof, provider: second))
            try await strike.honest(strike.unlink(victim.bearer, "yahoo.com"))
            let other = try await strike.enter(victim.subject)
            await strike.expect(other.uid != victim.uid, .minted, "An unlinked identity still signs in to the account.")
            try await strike.expectIdentities(victim, [second: subject])
            try await strike.expectIdentities(other, ["yahoo.com": victim.subject])
        },
    )
}
