internal import Jansson

/// Accounts that are merged, deleted and linked to at the same moment.
enum MergeRaces {
    private static let second = Strike.secondProvider

    static let all = Section(.link, .critical, needs: [.standIns, .accounts]).attacks(
        .attack(
            "LK-38", "Two accounts merge each other at the same moment.",
            oracle: "One takes over the other; no identity is lost, and none stands twice.", source: "TOCTOU; CWE-367"
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
                    "The two identities do not share one of the two accounts.")
            }
        },
        .attack(
            "LK-39", "Ten accounts take over one account at the same moment, with one ID token of it.",
            oracle: "One succeeds.", source: "CVE-2026-53518"
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
            "LK-42", "An account is deleted and linked to at the same moment.", severity: .high,
            oracle: "Afterwards the identity is free, or the account exists: no identity remains without an account.",
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
                await strike.expect(member.uid != victim.uid, .minted, "A deleted uid came back.")
            }
        },
    )
}
