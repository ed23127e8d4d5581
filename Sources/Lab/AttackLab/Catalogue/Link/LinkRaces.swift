internal import Jansson

/// Concurrent LINK requests.
enum LinkingRaces {
    private static let second = Strike.secondProvider

    static let all = Section(.link, .high, needs: [.standIns, .accounts]).attacks(
        .attack(
            "LK-07a", "Twenty accounts link the same identity concurrently, each with a separate credential.",
            severity: .critical, oracle: "Exactly one succeeds; the others get 409.", source: "CVE-2026-32700"
        ) { strike in
            let subject = try strike.freshSubject()
            var callers: [Member] = []
            var requests: [Request] = []
            for _ in 0..<20 {
                let caller = try await strike.enter()
                let proof = try await strike.proof(of: subject, at: second)
                callers.append(caller)
                requests.append(strike.link(caller.bearer, proof, provider: second))
            }
            await strike.volley(requests, losers: .conflict("credential_already_in_use")) { $0.status == 200 }
            var holders = 0
            for caller in callers where try await strike.identities(caller.bearer)[second] == subject { holders += 1 }
            await strike.expect(holders == 1, .raced, "\(holders) accounts have the same identity.")
        },
        .attack(
            "LK-07b", "One account links one identity twenty times concurrently.",
            oracle: "The server responds with 200 or 409 to each, and stores the identity once.",
            source: "CVE-2026-32700"
        ) { strike in
            let (caller, subject) = (try await strike.enter(), try strike.freshSubject())
            var requests: [Request] = []
            for _ in 0..<20 {
                let proof = try await strike.proof(of: subject, at: second)
                requests.append(strike.link(caller.bearer, proof, provider: second))
            }
            await strike.volley(
                requests, winners: 1...20,
                losers: .conflict("provider_already_linked", "credential_already_in_use")
            ) { $0.status == 200 }
            let identities = try await strike.honest(strike.account(caller.bearer)).json?["identities"]?.array
            await strike.expect(identities?.count == 2, .raced, "The account has \(identities?.count ?? 0) identities.")
        },
        .attack(
            "LK-07c", "Ten accounts link with the same ID token concurrently.",
            oracle: "Exactly one succeeds; the token is spent for the others.", source: "CVE-2026-53518"
        ) { strike in
            let proof = try await strike.proof(of: try strike.freshSubject(), at: second)
            var requests: [Request] = []
            for _ in 0..<10 {
                requests.append(strike.link(try await strike.enter().bearer, proof, provider: second))
            }
            await strike.volley(requests, losers: .refused("replayed")) { $0.status == 200 }
        },
        .attack(
            "LK-07d", "Two identities of one provider are linked to one account concurrently.",
            severity: .critical, oracle: "Exactly one is linked; the others get 409 provider_already_linked.",
            source: "CVE-2026-32700"
        ) { strike in
            let caller = try await strike.enter()
            var requests: [Request] = []
            for _ in 0..<10 {
                let proof = try await strike.proof(of: try strike.freshSubject(), at: second)
                requests.append(strike.link(caller.bearer, proof, provider: second))
            }
            await strike.volley(requests, losers: .conflict("provider_already_linked")) { $0.status == 200 }
        },
        .attack(
            "LK-07e", "One ID token is posted to LINK and EXCHANGE concurrently, ten times each.",
            oracle: "Exactly one request succeeds.", source: "SR-01"
        ) { strike in
            let caller = try await strike.enter()
            let proof = try await strike.proof(of: try strike.freshSubject(), at: second)
            let requests = (0..<20).map { index in
                index.isMultiple(of: 2)
                    ? strike.link(caller.bearer, proof, provider: second) : strike.exchange(proof, provider: second)
            }
            await strike.volley(requests, losers: .refused("replayed")) { $0.status == 200 }
        },
    )
}

/// Concurrent merges, deletions and links of accounts.
enum MergeRaces {
    private static let second = Strike.secondProvider

    static let all = Section(.link, .critical, needs: [.standIns, .accounts]).attacks(
        .attack(
            "LK-38", "Two accounts merge each other concurrently.",
            oracle: "One account takes over the other; no identity is lost or duplicated.", source: "TOCTOU; CWE-367"
        ) { strike in
            for _ in 0..<3 {
                let (one, other) = (try await strike.enter(), try await strike.enter(at: second))
                let requests = [
                    strike.merge(one.bearer, ["from_id_token": .string(other.bearer)]),
                    strike.merge(other.bearer, ["from_id_token": .string(one.bearer)]),
                ]
                await strike.volley(
                    requests,
                    losers: Expectation(
                        statuses: [401, 403, 400],
                        reasons: ["account_gone", "user_mismatch", "replayed"]))
                let (first, again) = (
                    try await strike.enter(one.subject), try await strike.enter(other.subject, at: second)
                )
                await strike.expect(
                    first.uid == again.uid && [one.uid, other.uid].contains(first.uid), .raced,
                    "The two identities do not belong to the same one of the two accounts.")
            }
        },
        .attack(
            "LK-39", "Ten accounts merge the same account concurrently, with one ID token of it.",
            oracle: "Exactly one succeeds.", source: "CVE-2026-53518"
        ) { strike in
            let victim = try await strike.enter(at: second)
            var requests: [Request] = []
            for _ in 0..<10 {
                let caller = try await strike.enter()
                requests.append(strike.merge(caller.bearer, ["from_id_token": .string(victim.bearer)]))
            }
            await strike.volley(
                requests,
                losers: Expectation(
                    statuses: [400, 401, 403], reasons: ["account_gone", "user_mismatch", "replayed"]))
        },
        .attack(
            "LK-42", "An account is deleted and linked to concurrently.", severity: .high,
            oracle:
                "Afterwards either the account exists or the identity is free: no identity remains without an account.",
            source: "TOCTOU; CWE-367"
        ) { strike in
            for _ in 0..<3 {
                let (victim, subject) = (try await strike.enter(), try strike.freshSubject())
                let proof = try await strike.proof(of: subject, at: second)
                let requests = [
                    strike.deleteAccount(victim.bearer), strike.link(victim.bearer, proof, provider: second),
                ]
                await strike.volley(requests, winners: 1...2, losers: .unauthorized("account_gone")) {
                    $0.status == 200
                }
                let member = try await strike.enter(subject, at: second)
                await strike.expect(member.uid != victim.uid, .minted, "A deleted uid was reused.")
            }
        },
    )
}
