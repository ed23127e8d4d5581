internal import Jansson

/// Unlinking of identities, and requests for accounts of other users.
enum UnlinkingAttacks {
    private static let second = AttackContext.secondProvider

    static let all = Section(.link, .high, needs: [.standIns, .accounts]).attacks(
        .attack(
            "LK-10", "The body or the path of a call names the uid of another account.", severity: .critical,
            oracle: "The server responds with 400 unknown_field and 404: the uid comes only from the bearer token.",
            source: "IDOR; CWE-639"
        ) { context in
            let (attacker, victim) = (try await context.enter(), try await context.enter())
            let proof = try await context.proof(of: try context.freshSubject(), at: second)
            for name in ["uid", "user_id", "localId", "account", "sub"] {
                await context.fire(
                    context.link(
                        attacker.bearer, proof, provider: second, further: [name: .string(victim.uid)]),
                    expecting: .malformed("unknown_field"))
                await context.fire(
                    .json(
                        "/v1/account/unlink", ["provider": "yahoo.com", name: .string(victim.uid)],
                        bearer: attacker.bearer), expecting: .malformed("unknown_field"))
                await context.fire(
                    Request.get("/v1/account?\(name)=\(PercentEncoding.encode(victim.uid))").bearing(attacker.bearer),
                    expecting: .malformed("unknown_field"))
            }
            let path = "/v1/account/" + PercentEncoding.encode(victim.uid)
            for method in ["GET", "DELETE", "POST"] {
                await context.fire(
                    Request(method, path).bearing(attacker.bearer),
                    expecting: .refused("not_found", status: 404, error: "invalid_request"))
            }
            try await context.expectIdentities(victim, [victim.provider: victim.subject])
        },
        .attack(
            "LK-12", "The attacker unlinks an identity of another account, an unknown one, and one identity twice.",
            oracle: "The server responds with 409 no_such_provider; the victim keeps the identity.",
            source: "IDOR; CWE-639"
        ) { context in
            let (attacker, victim) = (try await context.enter(), try await context.enter(at: second))
            let expectation = Expectation.conflict("no_such_provider")
            await context.fire(context.unlink(attacker.bearer, second), expecting: expectation)
            await context.fire(
                context.unlink(attacker.bearer, "unknown.example"),
                expecting: expectation.or(.malformed("unknown_provider")))
            let proof = try await context.proof(of: try context.freshSubject(), at: second)
            try await context.honest(context.link(attacker.bearer, proof, provider: second))
            try await context.honest(context.unlink(attacker.bearer, second))
            await context.fire(context.unlink(attacker.bearer, second), expecting: expectation)
            try await context.expectIdentities(victim, [second: victim.subject])
        },
        .attack(
            "LK-11a", "The last identity of an account is unlinked.",
            oracle: "The server responds with 409 last_identity.",
            source: "CVE-2019-5421", needs: [.standIns, .accounts, .anonymous]
        ) { context in
            let victim = try await context.enter()
            await context.fire(context.unlink(victim.bearer, victim.provider), expecting: .conflict("last_identity"))
            let anonymous = try await context.enterAnonymously()
            let proof = try await context.proof(of: try context.freshSubject())
            try await context.honest(context.link(anonymous.bearer, proof))
            await context.fire(context.unlink(anonymous.bearer, "yahoo.com"), expecting: .conflict("last_identity"))
        },
        .attack(
            "LK-11b", "The last two identities of an account are unlinked concurrently.",
            oracle: "Exactly one is unlinked; the other requests get 409 last_identity.", source: "CVE-2019-5421"
        ) { context in
            for _ in 0..<3 {
                let victim = try await context.enter()
                let proof = try await context.proof(of: try context.freshSubject(), at: second)
                try await context.honest(context.link(victim.bearer, proof, provider: second))
                let requests = (0..<10).map {
                    context.unlink(victim.bearer, $0.isMultiple(of: 2) ? "yahoo.com" : second)
                }
                await context.volley(requests, losers: .conflict("last_identity", "no_such_provider")) {
                    $0.status == 200
                }
                let left = try await context.identities(victim.bearer)
                await context.expect(left.count == 1, .raced, "\(left.count) identities are left.")
            }
        },
        .attack(
            "LK-17", "An unlinked identity signs in again.", severity: .critical,
            oracle: "The identity gets a new uid, not the former one and not another user's.", source: "uid stability"
        ) { context in
            let victim = try await context.enter()
            let subject = try context.freshSubject()
            let proof = try await context.proof(of: subject, at: second)
            try await context.honest(context.link(victim.bearer, proof, provider: second))
            try await context.honest(context.unlink(victim.bearer, "yahoo.com"))
            let other = try await context.enter(victim.subject)
            await context.expect(
                other.uid != victim.uid, .minted, "An unlinked identity still signs in to the account.")
            try await context.expectIdentities(victim, [second: subject])
            try await context.expectIdentities(other, ["yahoo.com": victim.subject])
        },
    )
}
