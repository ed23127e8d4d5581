internal import Jansson

/// Concurrent LINK requests.
enum LinkingRaces {
    private static let second = AttackContext.secondProvider

    static let all = Section(.link, .high, needs: [.standIns, .accounts]).attacks(
        .attack(
            "LK-07a", "Twenty accounts link the same identity concurrently, each with a separate credential.",
            severity: .critical, oracle: "Exactly one succeeds; the others get 409.", source: "CVE-2026-32700"
        ) { context in
            let subject = try context.freshSubject()
            var callers: [Member] = []
            var requests: [Request] = []
            for _ in 0..<20 {
                let caller = try await context.enter()
                let proof = try await context.proof(of: subject, at: second)
                callers.append(caller)
                requests.append(context.link(caller.bearer, proof, provider: second))
            }
            await context.volley(requests, losers: .conflict("credential_already_in_use")) { $0.status == 200 }
            var holders = 0
            for caller in callers where try await context.identities(caller.bearer)[second] == subject { holders += 1 }
            await context.expect(holders == 1, .raced, "\(holders) accounts have the same identity.")
        },
        .attack(
            "LK-07b", "One account links one identity twenty times concurrently.",
            oracle: "The server responds with 200 or 409 to each, and stores the identity once.",
            source: "CVE-2026-32700"
        ) { context in
            let (caller, subject) = (try await context.enter(), try context.freshSubject())
            var requests: [Request] = []
            for _ in 0..<20 {
                let proof = try await context.proof(of: subject, at: second)
                requests.append(context.link(caller.bearer, proof, provider: second))
            }
            await context.volley(
                requests, winners: 1...20,
                losers: .conflict("provider_already_linked", "credential_already_in_use")
            ) { $0.status == 200 }
            let identities = try await context.honest(context.account(caller.bearer)).json?["identities"]?.array
            await context.expect(
                identities?.count == 2, .raced, "The account has \(identities?.count ?? 0) identities.")
        },
        .attack(
            "LK-07c", "Ten accounts link with the same ID token concurrently.",
            oracle: "Exactly one succeeds; the token is spent for the others.", source: "CVE-2026-53518"
        ) { context in
            let proof = try await context.proof(of: try context.freshSubject(), at: second)
            var requests: [Request] = []
            for _ in 0..<10 {
                requests.append(context.link(try await context.enter().bearer, proof, provider: second))
            }
            await context.volley(requests, losers: .refused("replayed")) { $0.status == 200 }
        },
        .attack(
            "LK-07d", "Two identities of one provider are linked to one account concurrently.",
            severity: .critical, oracle: "Exactly one is linked; the others get 409 provider_already_linked.",
            source: "CVE-2026-32700"
        ) { context in
            let caller = try await context.enter()
            var requests: [Request] = []
            for _ in 0..<10 {
                let proof = try await context.proof(of: try context.freshSubject(), at: second)
                requests.append(context.link(caller.bearer, proof, provider: second))
            }
            await context.volley(requests, losers: .conflict("provider_already_linked")) { $0.status == 200 }
        },
        .attack(
            "LK-07e", "One ID token is posted to LINK and EXCHANGE concurrently, ten times each.",
            oracle: "Exactly one request succeeds.", source: "SR-01"
        ) { context in
            let caller = try await context.enter()
            let proof = try await context.proof(of: try context.freshSubject(), at: second)
            let requests = (0..<20).map { index in
                index.isMultiple(of: 2)
                    ? context.link(caller.bearer, proof, provider: second) : context.exchange(proof, provider: second)
            }
            await context.volley(requests, losers: .refused("replayed")) { $0.status == 200 }
        },
    )
}

/// Concurrent merges, deletions and links of accounts.
enum MergeRaces {
    private static let second = AttackContext.secondProvider

    static let all = Section(.link, .critical, needs: [.standIns, .accounts]).attacks(
        .attack(
            "LK-38", "Two accounts merge each other concurrently.",
            oracle: "One account takes over the other; no identity is lost or duplicated.", source: "TOCTOU; CWE-367"
        ) { context in
            for _ in 0..<3 {
                let (one, other) = (try await context.enter(), try await context.enter(at: second))
                let requests = [
                    context.merge(one.bearer, ["from_id_token": .string(other.bearer)]),
                    context.merge(other.bearer, ["from_id_token": .string(one.bearer)]),
                ]
                await context.volley(
                    requests,
                    losers: Expectation(
                        // A loser that reads the other account after the merge finds its own identity there.
                        statuses: [401, 403, 400, 409],
                        reasons: ["account_gone", "user_mismatch", "replayed", "provider_already_linked"]))
                let (first, again) = (
                    try await context.enter(one.subject), try await context.enter(other.subject, at: second)
                )
                await context.expect(
                    first.uid == again.uid && [one.uid, other.uid].contains(first.uid), .raced,
                    "The two identities do not belong to the same one of the two accounts.")
            }
        },
        .attack(
            "LK-39", "Ten accounts merge the same account concurrently, with one ID token of it.",
            oracle: "Exactly one succeeds.", source: "CVE-2026-53518"
        ) { context in
            let victim = try await context.enter(at: second)
            var requests: [Request] = []
            for _ in 0..<10 {
                let caller = try await context.enter()
                requests.append(context.merge(caller.bearer, ["from_id_token": .string(victim.bearer)]))
            }
            await context.volley(
                requests,
                losers: Expectation(
                    statuses: [400, 401, 403], reasons: ["account_gone", "user_mismatch", "replayed"]))
        },
        .attack(
            "LK-42", "An account is deleted and linked to concurrently.", severity: .high,
            oracle:
                "Afterwards either the account exists or the identity is free: no identity remains without an account.",
            source: "TOCTOU; CWE-367"
        ) { context in
            for _ in 0..<3 {
                let (victim, subject) = (try await context.enter(), try context.freshSubject())
                let proof = try await context.proof(of: subject, at: second)
                let requests = [
                    context.deleteAccount(victim.bearer), context.link(victim.bearer, proof, provider: second),
                ]
                await context.volley(requests, winners: 1...2, losers: .unauthorized("account_gone")) {
                    $0.status == 200
                }
                let member = try await context.enter(subject, at: second)
                await context.expect(member.uid != victim.uid, .minted, "A deleted uid was reused.")
            }
        },
    )
}
