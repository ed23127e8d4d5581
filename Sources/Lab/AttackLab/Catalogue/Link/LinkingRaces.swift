internal import Jansson

/// Several links at the same moment.
enum LinkingRaces {
    private static let second = Strike.secondProvider

    static let all = Section(.link, .high, needs: [.standIns, .accounts]).attacks(
        .attack(
            "LK-07a", "Twenty accounts link one identity at the same moment, each with a proof of its own.",
            severity: .critical, oracle: "One has it; the others get 409.", source: "CVE-2026-32700"
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
            await strike.expect(holders == 1, .raced, "\(holders) accounts hold one identity.")
        },
        .attack(
            "LK-07b", "One account links one identity twenty times at once.",
            oracle: "Each is answered 200 or 409, and the identity is there once.", source: "CVE-2026-32700"
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
            "LK-07c", "Ten accounts link with one ID token at the same moment.",
            oracle: "One succeeds; the token is spent for the others.", source: "CVE-2026-53518"
        ) { strike in
            let proof = try await strike.proof(of: try strike.freshSubject(), at: second)
            var requests: [Request] = []
            for _ in 0..<10 {
                requests.append(strike.link(try await strike.enter().bearer, proof, provider: second))
            }
            await strike.volley(requests, losers: .refused("replayed")) { $0.status == 200 }
        },
        .attack(
            "LK-07d", "Two different identities of one provider are linked to one account at once.",
            severity: .critical, oracle: "One of them; the others get 409 provider_already_linked.",
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
            "LK-07e", "One ID token is posted to LINK and EXCHANGE at the same moment, ten times each.",
            oracle: "One of all succeeds.", source: "SR-01"
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
