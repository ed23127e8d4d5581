import Fixtures
import JOSE
import Standards
import Stores
import Testing

@Suite("Conformance of callers that the store does not know", .serialized)
struct AdoptionConformance {
    private static let day = Duration.seconds(86400)
    private let bearer = FirebaseCaller(uid: "native", isAnonymous: false, email: EmailAddress("ann@x"))

    @Test(
        "Finding an unknown caller writes nothing, and describes the account as an adoption would",
        arguments: Database.allCases)
    func find(database: Database) async throws {
        try await database.withStore { store async throws in
            guard case .unknown(let described) = try await store.find(bearer, at: now) else { throw Unexpected() }
            #expect(try await store.account(uid: "native") == nil)
            try await store.make("owner", of: .baseline(email: "ann@x"))
            _ = try await store.retire(uid: "owner", at: now)
            #expect(try await store.account(of: bearer, at: now) == .account(described))
            #expect(try await store.find(bearer, at: now) == .account(described))
            _ = try await store.retire(uid: "native", at: now)
            #expect(try await store.find(bearer, at: now) == .retired)
        }
    }

    @Test("A known account learns of new sign-in methods also when it is only found", arguments: Database.allCases)
    func outgrown(database: Database) async throws {
        try await database.withStore { store async throws in
            _ = try await store.makeAnonymous(candidates: ["a"], deleteAfter: later, at: now)
            let upgraded = FirebaseCaller(uid: "a", isAnonymous: false, email: nil, signInMethods: ["password"])
            guard case .account(let found) = try await store.find(upgraded, at: now) else { throw Unexpected() }
            #expect(!found.isAnonymous && found.deleteAfter == nil && found.signInMethods == ["password"])
            #expect(try await store.account(uid: "a") == found)
        }
    }

    @Test(
        "The row of an adopted account is dropped after a day without an identity, and the uid can be adopted again",
        arguments: Database.allCases)
    func sweep(database: Database) async throws {
        try await database.withStore { store async throws in
            for _ in 0..<2 {
                _ = try await store.account(of: bearer, at: now)
                #expect(try await store.sweepAdopted(at: now + Self.day - .seconds(1), atMost: 9) == 0)
                #expect(try await store.sweepAdopted(at: now + Self.day, atMost: 9) == 1)
                #expect(try await store.account(uid: "native") == nil)
                #expect(try await store.leftAtFirebase(atMost: 9).isEmpty)
            }
            // Its address is free again.
            try await store.make("one", of: .baseline(email: "ann@x"))
        }
    }

    @Test("At most the given number of rows is dropped, the oldest first", arguments: Database.allCases)
    func limit(database: Database) async throws {
        try await database.withStore { store async throws in
            for (index, uid) in (["c", "b", "a"] as [UID]).enumerated() {
                let bearer = FirebaseCaller(uid: uid, isAnonymous: true, email: nil)
                _ = try await store.account(of: bearer, at: now + .seconds(index))
            }
            #expect(try await store.sweepAdopted(at: now + Self.day + Self.day, atMost: 2) == 2)
            #expect(try await store.accounts(after: nil, atMost: 9).map(\.uid) == ["a"])
        }
    }

    @Test(
        "A row stays if the account has an identity or a factor, is disabled, imported or made here",
        arguments: Database.allCases)
    func kept(database: Database) async throws {
        try await database.withStore { store async throws in
            let uids: [UID] = ["disabled", "factor", "linked", "password"]
            for uid in uids {
                // The end of the row with a factor is the first one, and must not be in the way of the others.
                let moment = uid == "factor" ? now - .seconds(1) : now
                _ = try await store.account(of: FirebaseCaller(uid: uid, isAnonymous: true, email: nil), at: moment)
            }
            _ = try await store.link(.baseline(), to: "linked", at: now)
            _ = try await store.setDisabled(true, uid: "disabled")
            let holder = FactorHolder(uid: "factor")
            _ = try await store.keep(
                .waiting, expecting: AccountExpectation(uid: "factor", holder: holder, provesFactor: false))
            var imported = StoredAccount(uid: "imported", createdAt: now)
            imported.isAdopted = true
            imported.hasOtherSignInMethod = true
            #expect(try await store.add(imported) == .added)
            // A link removes the end of the account. This row has both.
            var both = StoredAccount(adopting: FirebaseCaller(uid: "both", isAnonymous: true, email: nil), at: now)
            both.identities = [StoredIdentity(.baseline("both"), at: now)]
            #expect(try await store.add(both) == .added)
            _ = try await store.makeAnonymous(candidates: ["made here"], deleteAfter: later, at: now)
            // A sign-in method that is learned later does not keep a row.
            _ = try await store.find(
                FirebaseCaller(uid: "password", isAnonymous: false, email: nil, signInMethods: ["password"]), at: now)
            #expect(try await store.sweepAdopted(at: now + Self.day, atMost: 1) == 1)
            #expect(
                try await store.accounts(after: nil, atMost: 9).map(\.uid)
                    == ["both", "disabled", "factor", "imported", "linked", "made here"])
            // Enabled again, and without the factor, nothing needs the rows.
            _ = try await store.setDisabled(false, uid: "disabled")
            try await store.removeFactors(of: holder)
            #expect(try await store.sweepAdopted(at: now + Self.day, atMost: 9) == 2)
        }
    }

    @Test("A link that meets the sweep keeps its account, or finds none", arguments: Database.allCases)
    func race(database: Database) async throws {
        try await database.withStores(2) { stores async throws in
            for round in 0..<20 {
                let uid: UID = "native \(round)"
                let bearer = FirebaseCaller(uid: uid, isAnonymous: false, email: nil)
                _ = try await stores[0].account(of: bearer, at: now)
                async let swept = stores[0].sweepAdopted(at: now + Self.day, atMost: 9)
                async let linked = stores[1].link(.baseline("\(round)"), to: uid, at: now)
                let (count, decision) = try await (swept, linked)
                let account = try await stores[0].account(uid: uid)
                if case .linked = decision {
                    #expect(count == 0 && account?.identities.count == 1)
                } else {
                    #expect(decision == .unknownAccount && count == 1 && account == nil)
                }
            }
        }
    }
}

extension EnrolledFactor {
    fileprivate static let waiting = EnrolledFactor(
        id: "id", name: nil, secret: "secret", createdAt: now, expiresAt: later, lastStep: 0, lastUsedAt: nil)
}
