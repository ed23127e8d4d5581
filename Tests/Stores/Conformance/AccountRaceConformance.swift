import Fixtures
import JOSE
import Standards
import Stores
import Testing

@Suite("Conformance of accounts in races", .serialized)
struct AccountRaceConformance {
    @Test(
        "50 concurrent first sign-ins of one identity make one account, with equal or different candidates",
        arguments: Database.allCases)
    func oneAccount(database: Database) async throws {
        try await database.withStores(2) { stores async throws in
            for (isShared, email) in [(true, nil), (false, nil), (true, "a@x"), (false, "b@x")] {
                let arrival = IncomingIdentity.baseline("\(isShared) \(email ?? "")", email: email)
                let decisions = try await all(50) { index in
                    let candidate: UID = isShared ? "shared \(email ?? "")" : "uid-\(index) \(email ?? "")"
                    return try await stores[index % 2].signIn(
                        arrival, candidates: [candidate], emails: .oneAccountEach, at: now)
                }
                let uid = try #require(try await stores[0].account(of: arrival.identity)).uid
                #expect(decisions.count { $0 == .signedIn(uid: uid, isNew: true, hasFactor: false) } == 1)
                #expect(decisions.count { $0 == .signedIn(uid: uid, isNew: false, hasFactor: false) } == 49)
            }
        }
    }

    @Test("20 identities with the same candidates at two servers get different uids", arguments: Database.allCases)
    func sameCandidates(database: Database) async throws {
        // A transaction is repeated only if another one succeeded, so 20 of them need fewer attempts than the limit.
        let candidates: [UID] = (0..<20).map { "uid-\($0)" }
        try await database.withStores(2) { stores async throws in
            let uids = try await all(20) { index in
                let decision = try await stores[index % 2].signIn(
                    .baseline("\(index)"), candidates: candidates, emails: .oneAccountEach, at: now)
                guard case .signedIn(let uid, true, _, _) = decision else { throw Unexpected() }
                return uid
            }
            #expect(Set(uids) == Set(candidates))
        }
    }

    @Test("Concurrent sign-ins of one identity that all write details all succeed", arguments: Database.allCases)
    func refreshes(database: Database) async throws {
        try await database.withStores(2) { stores async throws in
            try await stores[0].make("one", of: .baseline())
            let decisions = try await all(20) { index in
                let arrival = IncomingIdentity(
                    identity: .baseline, details: IdentityDetails(name: "\(index)"), email: nil)
                return try await stores[index % 2].signIn(
                    arrival, candidates: [], emails: .oneAccountEach, at: now + .seconds(7200))
            }
            #expect(decisions.allSatisfy { $0 == .signedIn(uid: "one", isNew: false, hasFactor: false) })
            #expect(try await stores[0].account(uid: "one")?.identities.first?.lastUsedAt == now + .seconds(7200))
        }
    }

    @Test(
        "A uid that is assigned and retired concurrently belongs to no account afterwards", arguments: Database.allCases
    )
    func retireRace(database: Database) async throws {
        try await database.withStores(2) { stores async throws in
            for round in 0..<20 {
                let identity = ExternalIdentity(provider: "yahoo.com", subject: "\(round)")
                async let retired = stores[1].retire(uid: "\(round)", at: now)
                async let entered = stores[0].enter(identity, as: "\(round)", "b\(round)")
                let (existed, uid) = (try await retired, try await entered)
                #expect(existed == (uid == "\(round)"))
                #expect(try await stores[0].enter(identity, as: "c\(round)") == (existed ? "c\(round)" : "b\(round)"))
            }
        }
    }

    @Test(
        "LK-07: if accounts link one identity concurrently, one gets it; linking it twice to that account succeeds",
        arguments: Database.allCases)
    func linkRace(database: Database) async throws {
        try await database.withStores(2) { stores async throws in
            for round in 0..<10 {
                for index in 0..<4 { try await stores[0].make("\(round) \(index)", of: .baseline("\(round) \(index)")) }
                let arrival = IncomingIdentity.baseline("\(round)", at: "twitter.com", email: "\(round)@x")
                let decisions = try await all(12) { index in
                    try await stores[index % 2].link(arrival, to: "\(round) \(index % 4)", at: now)
                }
                let holder = try #require(try await stores[0].account(of: arrival.identity))
                #expect(decisions.count { $0 == .linked(holder) } == 3)
                #expect(decisions.count { $0 == .identityTaken(by: holder) } == 9)
                for index in 0..<4 {
                    let account = try #require(try await stores[0].account(uid: "\(round) \(index)"))
                    #expect(account.identities.count == (account.uid == holder.uid ? 2 : 1))
                }
            }
        }
    }

    @Test("LK-07: a concurrent first sign-in and link of one identity end in one account", arguments: Database.allCases)
    func signInAndLink(database: Database) async throws {
        try await database.withStores(2) { stores async throws in
            for round in 0..<20 {
                try await stores[0].make("\(round)", of: .baseline("\(round)"))
                let arrival = IncomingIdentity.baseline("\(round)", at: "twitter.com")
                async let linked = stores[1].link(arrival, to: "\(round)", at: now)
                async let entered = stores[0].enter(arrival.identity, as: "new \(round)")
                let (decision, uid) = (try await linked, try await entered)
                let holder = try #require(try await stores[0].account(of: arrival.identity))
                #expect(holder.uid == uid)
                #expect(decision == (uid == "\(round)" ? .linked(holder) : .identityTaken(by: holder)))
            }
        }
    }

    @Test(
        "AN-07: if an account links several identities of one provider concurrently, it gets one of them",
        arguments: Database.allCases)
    func upgradeRace(database: Database) async throws {
        try await database.withStores(2) { stores async throws in
            for round in 0..<10 {
                _ = try await stores[0].makeAnonymous(candidates: ["\(round)"], deleteAfter: now, at: now)
                let decisions = try await all(6) { index in
                    try await stores[index % 2].link(.baseline("\(round) \(index % 3)"), to: "\(round)", at: now)
                }
                let account = try #require(try await stores[0].account(uid: "\(round)"))
                #expect(account.identities.count == 1 && !account.isAnonymous)
                #expect(decisions.count { $0 == .linked(account) } == 2)
                #expect(decisions.count { $0 == .providerTaken } == 4)
            }
        }
    }

    @Test(
        "An anonymous account that is linked and swept concurrently is either kept or removed completely",
        arguments: Database.allCases)
    func sweepRace(database: Database) async throws {
        try await database.withStores(3) { stores async throws in
            for round in 0..<20 {
                _ = try await stores[0].makeAnonymous(candidates: ["\(round)"], deleteAfter: now, at: now)
                let arrival = IncomingIdentity.baseline("\(round)")
                async let linked = stores[0].link(arrival, to: "\(round)", at: now)
                async let swept = stores[1].sweepAnonymous(at: later, atMost: 9)
                async let sweptToo = stores[2].sweepAnonymous(at: later, atMost: 9)
                let (decision, uids) = (try await linked, try await swept + sweptToo)
                let account = try await stores[0].account(uid: "\(round)")
                #expect(uids == (account == nil ? ["\(round)"] : []))
                #expect(decision == account.map(LinkDecision.linked) ?? .unknownAccount)
                #expect(try await stores[0].account(of: arrival.identity) == account)
            }
        }
    }

    @Test("LK-11: if all identities of an account are unlinked concurrently, one stays", arguments: Database.allCases)
    func unlinkRace(database: Database) async throws {
        try await database.withStores(2) { stores async throws in
            for round in 0..<15 {
                let uid: UID = "\(round)"
                try await stores[0].make(uid, of: .baseline(Subject(uid), at: "0"))
                for index in 1..<4 {
                    _ = try await stores[0].link(.baseline(Subject(uid), at: "\(index)"), to: uid, at: now)
                }
                let decisions = try await all(8) { index in
                    try await stores[index % 2].unlink(provider: "\(index % 4)", from: uid, at: now)
                }
                let account = try #require(try await stores[0].account(uid: uid))
                #expect(account.identities.count == 1)
                #expect(decisions.count { if case .unlinked = $0 { true } else { false } } == 3)
                #expect(decisions.count { $0 == .notLinked || $0 == .lastIdentity } == 5)
                #expect(decisions.contains(.lastIdentity))
            }
        }
    }

    @Test(
        "A caller with many concurrent requests is adopted once, and never after its uid is retired",
        arguments: Database.allCases)
    func adoptRace(database: Database) async throws {
        try await database.withStores(2) { stores async throws in
            for round in 0..<10 {
                let bearer = FirebaseCaller(uid: "\(round)", isAnonymous: false, email: EmailAddress("\(round)@x"))
                let decisions = try await all(10) { try await stores[$0 % 2].account(of: bearer, at: now) }
                let account = try #require(try await stores[0].account(uid: "\(round)"))
                #expect(account.email == bearer.email)
                #expect(decisions.allSatisfy { $0 == .account(account) })
                async let retired = stores[0].retire(uid: "n\(round)", at: now)
                async let found = stores[1].account(
                    of: FirebaseCaller(uid: "n\(round)", isAnonymous: true, email: nil), at: now)
                let (existed, decision) = (try await retired, try await found)
                #expect(existed == (decision != .retired))
                #expect(try await stores[0].account(uid: "n\(round)") == nil)
            }
        }
    }
}
