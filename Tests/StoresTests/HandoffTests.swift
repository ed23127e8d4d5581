import JOSE
import SQLiteStores
import Stores
import Testing

@Suite("Handoffs")
struct HandoffTests {
    @Test("A handoff is redeemed as it was kept, once", arguments: Backend.allCases)
    func once(backend: Backend) async throws {
        try await backend.withStore { store async throws in
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
        "What binds a handoff must be named, octet for octet, and what does not match leaves it where it is",
        arguments: [
            (HandoffClaim.baseline(client: "App"), "otherHolder"), (.baseline(client: "app\0"), "otherHolder"),
            (.baseline(redirectURI: "https://app.example/cb/"), "otherHolder"),
            (.baseline(redirectURI: ""), "otherHolder"),
            (.baseline(client: "other", codeChallenge: "another"), "otherHolder"),
            (.baseline(codeChallenge: "Challenge"), "otherCodeChallenge"),
            (.baseline(codeChallenge: ""), "otherCodeChallenge"),
        ])
    func other(claim: HandoffClaim, outcome: String) async throws {
        for backend in Backend.allCases {
            try await backend.withStore { store async throws in
                try await store.keep(Handoff.baseline())
                #expect(try await store.redeem(claim, at: now).name == outcome)
                #expect(try await store.redeem(.baseline(), at: now).name == "redeemed")
            }
        }
    }

    @Test("HO-03: four failures leave it, and the fifth ends it, whatever they were", arguments: Backend.allCases)
    func failures(backend: Backend) async throws {
        let wrong: [HandoffClaim] = [
            .baseline(codeChallenge: "w"), .baseline(client: "x"), .baseline(redirectURI: "x"),
            .baseline(codeChallenge: "w"), .baseline(client: "x"),
        ]
        for count in [4, 5] {
            try await backend.withStore { store async throws in
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

    @Test("HO-05: it is good until its last second is over, and a claim that is late is no failure")
    func expiry() async throws {
        for (seconds, outcome) in [(59, "redeemed"), (60, "expired"), (86400, "expired")] {
            let store = try SQLiteStore.inMemory()
            try await store.keep(Handoff.baseline())
            for _ in 0..<6 {
                #expect(try await store.redeem(.baseline(codeChallenge: "w"), at: now + .seconds(60)).name == "expired")
            }
            #expect(try await store.redeem(.baseline(), at: now + .seconds(seconds)).name == outcome)
        }
    }

    @Test("What is given back is as good as before, and no better", arguments: Backend.allCases)
    func giveBack(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            try await store.keep(Handoff.baseline())
            guard case .redeemed(let handoff) = try await store.redeem(.baseline(), at: now) else {
                Issue.record("It is not redeemed.")
                return
            }
            try await store.giveBack(handoff)
            #expect(try await store.redeem(.baseline(client: "x"), at: now).name == "otherHolder")
            #expect(try await store.redeem(.baseline(), at: now + .seconds(60)).name == "expired")
            #expect(try await store.redeem(.baseline(), at: now).name == "redeemed")
            #expect(try await store.redeem(.baseline(), at: now).name == "replayed")
        }
    }

    @Test("A code that was spent without its handoff redeems nothing, and leaves it", arguments: Backend.allCases)
    func spentBefore(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            try await store.keep(Handoff.baseline())
            _ = try await store.spend([.baseline("code", .handoff)], at: now)
            #expect(try await store.redeem(.baseline(), at: now).name == "replayed")
            try await store.giveBack([.baseline("code", .handoff)])
            #expect(try await store.redeem(.baseline(), at: now).name == "redeemed")
        }
    }

    @Test("Two handoffs under one code cannot be", arguments: Backend.allCases)
    func twice(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            try await store.keep(Handoff.baseline())
            await #expect(throws: StoreError.self) { try await store.keep(Handoff.baseline()) }
        }
    }

    @Test("Sweeping takes what has expired, the oldest first, and so many at most", arguments: Backend.allCases)
    func sweep(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            for index in 0..<5 { try await store.keep(Handoff.baseline("\(index)")) }
            let end = now + .seconds(60)
            #expect(try await store.sweepHandoffs(expiredBefore: end, atMost: 10) == 0)
            #expect(try await store.sweepHandoffs(expiredBefore: end + .seconds(1), atMost: 0) == 0)
            #expect(try await store.sweepHandoffs(expiredBefore: end + .seconds(1), atMost: -1) == 0)
            #expect(try await store.sweepHandoffs(expiredBefore: end + .seconds(1), atMost: 3) == 3)
            #expect(try await store.sweepHandoffs(expiredBefore: end + .seconds(1), atMost: 10) == 2)
            #expect(try await store.redeem(.baseline("0"), at: now).name == "unknown")
        }
    }

    @Test("A code that was used is called by its name after its handoff was swept, until it is swept itself")
    func sweepAfterUse() async throws {
        let store = try SQLiteStore.inMemory()
        try await store.keep(Handoff.baseline())
        _ = try await store.redeem(.baseline(), at: now)
        _ = try await store.sweepHandoffs(expiredBefore: later, atMost: 10)
        #expect(try await store.redeem(.baseline(), at: now).name == "replayed")
        _ = try await store.sweep(expiredBefore: later + .seconds(1), atMost: 10)
        #expect(try await store.redeem(.baseline(), at: now).name == "unknown")
    }

    @Test("HO-02: of fifty redemptions at once one has it", arguments: Backend.allCases)
    func race(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            for round in 0..<5 {
                try await store.keep(Handoff.baseline("\(round)"))
                let outcomes = try await all(50) { _ in try await store.redeem(.baseline("\(round)"), at: now).name }
                #expect(outcomes.count { $0 == "redeemed" } == 1)
                #expect(outcomes.count { $0 == "replayed" } == 49)
            }
        }
    }

    @Test("HO-02, SR-03: of two servers on one file one redeems it, and both know failures of the other")
    func twoServers() async throws {
        let folder = try TemporaryFolder()
        let stores = [try SQLiteStore.open(path: folder.database), try SQLiteStore.open(path: folder.database)]
        for round in 0..<10 {
            try await stores[0].keep(Handoff.baseline("\(round)"))
            let outcomes = try await all(50) { try await stores[$0 % 2].redeem(.baseline("\(round)"), at: now).name }
            #expect(outcomes.count { $0 == "redeemed" } == 1)
            #expect(outcomes.count { $0 == "replayed" } == 49)
        }
        try await stores[0].keep(Handoff.baseline("guessed"))
        for index in 0..<5 {
            _ = try await stores[index % 2].redeem(.baseline("guessed", codeChallenge: "w"), at: now)
        }
        #expect(try await stores[0].redeem(.baseline("guessed"), at: now).name == "unknown")
        for store in stores { try store.close() }
    }

    @Test("HO-14: redeeming and sweeping at once end in one of the two, and never in an error")
    func raceWithSweep() async throws {
        let store = try SQLiteStore.inMemory()
        for round in 0..<100 {
            try await store.keep(Handoff.baseline("\(round)"))
            async let redeemed = store.redeem(.baseline("\(round)"), at: now + .seconds(59)).name
            async let swept = store.sweepHandoffs(expiredBefore: now + .seconds(61), atMost: 10)
            let (name, count) = (try await redeemed, try await swept)
            #expect((name, count) == ("redeemed", 0) || (name, count) == ("unknown", 1))
        }
    }

    @Test("What is kept is there after a restart; what was redeemed is not")
    func restart() async throws {
        let folder = try TemporaryFolder()
        let first = try SQLiteStore.open(path: folder.database)
        try await first.keep(Handoff.baseline("kept"))
        try await first.keep(Handoff.baseline("used"))
        _ = try await first.redeem(.baseline("used"), at: now)
        try first.close()
        let second = try SQLiteStore.open(path: folder.database)
        #expect(try await second.redeem(.baseline("used"), at: now).name == "replayed")
        #expect(try await second.redeem(.baseline("kept"), at: now).name == "redeemed")
        try second.close()
    }

    @Test("A store that is shut says so, and nothing was written")
    func shut() async throws {
        let store = try SQLiteStore.inMemory()
        try store.close()
        await #expect(throws: StoreError.unavailable(.closed)) { try await store.keep(Handoff.baseline()) }
        await #expect(throws: StoreError.unavailable(.closed)) { _ = try await store.redeem(.baseline(), at: now) }
    }
}
