import JOSE
import Stores
import Testing

@Suite("Conformance of handoffs", .serialized)
struct HandoffConformance {
    @Test("A handoff is redeemed once, with the stored values", arguments: Database.allCases)
    func once(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.keep(Handoff.baseline())
            guard case .redeemed(let handoff) = try await store.redeem(.baseline(), at: now) else {
                Issue.record("It is not redeemed.")
                return
            }
            #expect(handoff.record == .baseline("code", .handoff))
            #expect(handoff.client == "app" && handoff.redirectURI == "https://app.example/cb")
            #expect(handoff.codeChallenge == "challenge" && handoff.payload == "payload")
            #expect(handoff.expiresAt == now + .seconds(60))
            #expect(try await store.redeem(.baseline(), at: now).name == "replayed")
            #expect(try await store.redeem(.baseline(client: "other"), at: now).name == "replayed")
            #expect(try await store.redeem(.baseline("another"), at: now).name == "unknown")
            #expect(try await store.spend([.baseline("code", .handoff)], at: now) == .replayed(.handoff))
        }
    }

    @Test(
        "A claim must equal client, redirect URI and code challenge of the handoff, byte by byte",
        arguments: Database.allCases)
    func other(database: Database) async throws {
        let claims: [(HandoffClaim, String)] = [
            (.baseline(client: "App"), "otherAddressee: it is kept for app"),
            (.baseline(client: "app\0"), "otherAddressee: it is kept for app"),
            (.baseline(redirectURI: "https://app.example/cb/"), "otherRedirectURI: https://app.example/cb"),
            (.baseline(redirectURI: ""), "otherRedirectURI: https://app.example/cb"),
            (.baseline(redirectURI: "https://app.example/cb/", codeChallenge: "another"), "otherAddressee"),
            (.baseline(client: "other", codeChallenge: "another"), "otherAddressee"),
            (.baseline(client: "other", redirectURI: "https://app.example/cb/"), "otherAddressee"),
            (.baseline(codeChallenge: "Challenge"), "otherCodeChallenge"),
            (.baseline(codeChallenge: ""), "otherCodeChallenge"),
        ]
        try await database.withStore { store async throws in
            for (index, (claim, outcome)) in claims.enumerated() {
                try await store.keep(Handoff.baseline("\(index)"))
                let claim = HandoffClaim.baseline(
                    "\(index)", client: claim.client, redirectURI: claim.redirectURI,
                    codeChallenge: claim.codeChallenge)
                #expect(try await store.redeem(claim, at: now).name == outcome)
                #expect(try await store.redeem(.baseline("\(index)"), at: now).name == "redeemed")
            }
        }
    }

    @Test(
        "HO-03: after four concurrent failures at two servers a handoff is valid, after five it is gone",
        arguments: Database.allCases)
    func failures(database: Database) async throws {
        try await database.withStores(2) { stores async throws in
            for count in [4, 5] {
                try await stores[0].keep(Handoff.baseline("\(count)"))
                let names = try await all(count) { index in
                    let wrong = index.isMultiple(of: 2) ? "w" : "challenge"
                    let claim = HandoffClaim.baseline("\(count)", client: "x", codeChallenge: wrong)
                    return try await stores[index % 2].redeem(claim, at: now).name
                }
                #expect(names.allSatisfy { $0.hasPrefix("otherAddressee") })
                let last = try await stores[0].redeem(.baseline("\(count)"), at: now).name
                #expect(last == (count == 4 ? "redeemed" : "unknown"))
            }
        }
    }

    @Test(
        "HO-03: after four failures of any kind a handoff is valid, after five it is gone", arguments: Database.allCases
    )
    func failuresOfAllKinds(database: Database) async throws {
        let wrong: [HandoffClaim] = [
            .baseline(codeChallenge: "w"), .baseline(client: "x"), .baseline(redirectURI: "x"),
            .baseline(codeChallenge: "w"), .baseline(client: "x"),
        ]
        for count in [4, 5] {
            try await database.withStore { store async throws in
                try await store.keep(Handoff.baseline())
                try await store.keep(Handoff.baseline("other"))
                for claim in wrong.prefix(count) {
                    #expect(try await store.redeem(claim, at: now).name.hasPrefix("other"))
                }
                #expect(try await store.redeem(.baseline(), at: now).name == (count == 4 ? "redeemed" : "unknown"))
                #expect(try await store.redeem(.baseline("other"), at: now).name == "redeemed")
            }
        }
    }

    @Test(
        "HO-05: a handoff is valid until its expiry, and a claim after it does not count as a failure",
        arguments: Database.allCases)
    func expiry(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.keep(Handoff.baseline())
            for _ in 0..<6 {
                let wrong = HandoffClaim.baseline(client: "x", codeChallenge: "w")
                #expect(try await store.redeem(wrong, at: now + .seconds(60)).name == "expired")
            }
            for seconds in [60, 86400] {
                #expect(try await store.redeem(.baseline(), at: now + .seconds(seconds)).name == "expired")
            }
            #expect(try await store.redeem(.baseline(), at: now + .seconds(59)).name == "redeemed")
        }
    }

    @Test("A handoff that was given back is valid once more, with the same checks", arguments: Database.allCases)
    func giveBack(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.keep(Handoff.baseline())
            guard case .redeemed(let handoff) = try await store.redeem(.baseline(), at: now) else {
                Issue.record("It is not redeemed.")
                return
            }
            try await store.giveBack(handoff)
            #expect(try await store.redeem(.baseline(client: "x"), at: now).name.hasPrefix("otherAddressee"))
            #expect(try await store.redeem(.baseline(), at: now + .seconds(60)).name == "expired")
            #expect(try await store.redeem(.baseline(), at: now).name == "redeemed")
            #expect(try await store.redeem(.baseline(), at: now).name == "replayed")
        }
    }

    @Test("A code that was spent separately redeems nothing, and its handoff stays", arguments: Database.allCases)
    func spentBefore(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.keep(Handoff.baseline())
            _ = try await store.spend([.baseline("code", .handoff)], at: now)
            #expect(try await store.redeem(.baseline(), at: now).name == "replayed")
            #expect(try await store.redeem(.baseline(client: "x"), at: now).name == "replayed")
            try await store.giveBack([.baseline("code", .handoff)])
            #expect(try await store.redeem(.baseline(), at: now).name == "redeemed")
        }
    }

    @Test("A second handoff with the same code is refused", arguments: Database.allCases)
    func twice(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.keep(Handoff.baseline())
            await #expect(throws: database.violation(of: "23505")) { try await store.keep(Handoff.baseline()) }
            #expect(try await store.redeem(.baseline(), at: now).name == "redeemed")
        }
    }

    @Test("A sweep removes expired handoffs, as many as the limit allows", arguments: Database.allCases)
    func sweep(database: Database) async throws {
        try await database.withStore { store async throws in
            for index in 0..<5 { try await store.keep(Handoff.baseline("\(index)")) }
            let end = now + .seconds(60)
            for (moment, limit, count) in [(end, 9, 0), (end + .seconds(1), 0, 0), (end + .seconds(1), -1, 0)] {
                #expect(try await store.sweepHandoffs(expiredBefore: moment, atMost: limit) == count)
            }
            #expect(try await store.sweepHandoffs(expiredBefore: end + .seconds(1), atMost: 3) == 3)
            #expect(try await store.sweepHandoffs(expiredBefore: end + .seconds(1), atMost: 9) == 2)
            #expect(try await store.redeem(.baseline("0"), at: now).name == "unknown")
        }
    }

    @Test("HO-02: of fifty redemptions at two servers one succeeds", arguments: Database.allCases)
    func race(database: Database) async throws {
        try await database.withStores(2) { stores async throws in
            for round in 0..<5 {
                try await stores[0].keep(Handoff.baseline("\(round)"))
                let names = try await all(50) { try await stores[$0 % 2].redeem(.baseline("\(round)"), at: now).name }
                #expect(names.count { $0 == "redeemed" } == 1)
                #expect(names.count { $0 == "replayed" } == 49)
            }
        }
    }

    @Test(
        "HO-14: a concurrent redemption and sweep either redeem or remove the handoff, without an error",
        arguments: Database.allCases)
    func raceWithSweep(database: Database) async throws {
        try await database.withStores(2) { stores async throws in
            for round in 0..<30 {
                try await stores[0].keep(Handoff.baseline("\(round)"))
                async let redeemed = stores[0].redeem(.baseline("\(round)"), at: now + .seconds(59)).name
                async let swept = stores[1].sweepHandoffs(expiredBefore: now + .seconds(61), atMost: 10)
                let (name, count) = (try await redeemed, try await swept)
                #expect((name, count) == ("redeemed", 0) || (name, count) == ("unknown", 1))
            }
        }
    }
}
