import Fixtures
import JOSE
import Standards
import Testing

@testable import Stores

@Suite("Conformance of anonymous and adopted accounts", .serialized)
struct AnonymousConformance {
    @Test("Anonymous accounts are counted by age, over all pages", arguments: Database.allCases, [1, 2, 100])
    func ages(database: Database, pageSize: Int) async throws {
        try await database.withStore { store async throws in
            for (uid, age) in [("a", 0), ("b", 9), ("c", 10), ("d", 11), ("e", 20), ("f", 99)] as [(UID, Int64)] {
                _ = try await store.makeAnonymous(
                    candidates: [uid], deleteAfter: nil, at: NumericDate(now.seconds - age))
            }
            try await store.make("permanent", of: .baseline())
            let ages = try await store.anonymousAges([.seconds(10), .seconds(20)], at: now, pageSize: pageSize)
            #expect(
                ages == [
                    AnonymousAge(from: .zero, below: .seconds(10), count: 2),
                    AnonymousAge(from: .seconds(10), below: .seconds(20), count: 2),
                    AnonymousAge(from: .seconds(20), below: nil, count: 2),
                ])
            #expect(
                try await store.anonymousAges([], at: now, pageSize: pageSize)
                    == [AnonymousAge(from: .zero, below: nil, count: 6)])
        }
    }

    @Test("AN-03: an anonymous account gets the first candidate that was never used", arguments: Database.allCases)
    func made(database: Database) async throws {
        try await database.withStore { store async throws in
            _ = try await store.retire(uid: "retired", at: now)
            #expect(try await store.makeAnonymous(candidates: ["retired", "a"], deleteAfter: later, at: now) == "a")
            #expect(try await store.makeAnonymous(candidates: ["a", "b"], deleteAfter: nil, at: now) == "b")
            await #expect(throws: StoreError.noFreeUID) {
                try await store.makeAnonymous(candidates: ["a", "retired"], deleteAfter: nil, at: now)
            }
            for (uid, end): (UID, NumericDate?) in [("a", later), ("b", nil)] {
                var expected = StoredAccount(uid: uid, createdAt: now)
                expected.isAnonymous = true
                expected.deleteAfter = end
                #expect(try await store.account(uid: uid) == expected)
                let bearer = FirebaseCaller(uid: uid, isAnonymous: false, email: EmailAddress("a@x"))
                #expect(try await store.account(of: bearer, at: now) == .account(expected), "We know it better.")
            }
        }
    }

    @Test(
        "AN-07: an anonymous account that links an identity keeps its uid and becomes permanent",
        arguments: Database.allCases)
    func upgraded(database: Database) async throws {
        try await database.withStore { store async throws in
            _ = try await store.makeAnonymous(candidates: ["a"], deleteAfter: later, at: now)
            guard case .linked(let account) = try await store.link(.baseline(), to: "a", at: now)
            else { throw Unexpected() }
            #expect(!account.isAnonymous && account.deleteAfter == nil)
            #expect(try await store.sweepAnonymous(at: later, atMost: 9) == [])
            #expect(try await store.unlink(provider: "yahoo.com", from: "a", at: now) == .lastIdentity)
        }
    }

    @Test("An unknown caller is adopted once, with the values of its token", arguments: Database.allCases)
    func adopted(database: Database) async throws {
        try await database.withStore { store async throws in
            for isAnonymous in [true, false] {
                let uid: UID = "\(isAnonymous)"
                let bearer = FirebaseCaller(uid: uid, isAnonymous: isAnonymous, email: EmailAddress("\(uid)@x"))
                var expected = StoredAccount(uid: uid, createdAt: now)
                expected.isAnonymous = isAnonymous
                expected.isAdopted = true
                expected.deleteAfter = now + .seconds(86400)
                expected.hasOtherSignInMethod = !isAnonymous
                expected.signInMethods = isAnonymous ? [] : ["custom"]
                expected.email = EmailAddress("\(uid)@x")
                for moment in [now, later] {
                    #expect(try await store.account(of: bearer, at: moment) == .account(expected))
                }
                #expect(try await store.account(uid: uid) == expected)
                await #expect(throws: StoreError.noFreeUID) { try await store.enter(as: uid) }
            }
        }
    }

    @Test(
        "A caller that stopped being anonymous at Firebase has another sign-in method and stays permanent",
        arguments: Database.allCases)
    func outgrown(database: Database) async throws {
        try await database.withStore { store async throws in
            let before = FirebaseCaller(uid: "a", isAnonymous: true, email: nil)
            let after = FirebaseCaller(uid: "a", isAnonymous: false, email: EmailAddress("a@x"))
            guard case .account(var account) = try await store.account(of: before, at: now) else { throw Unexpected() }
            account.isAnonymous = false
            account.hasOtherSignInMethod = true
            account.signInMethods = ["custom"]
            for bearer in [after, after, before] {
                #expect(try await store.account(of: bearer, at: later) == .account(account))
            }
            #expect(try await store.account(uid: "a") == account)
        }
    }

    @Test("A caller whose uid was retired is reported as retired", arguments: Database.allCases)
    func retired(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.make("one", of: .baseline())
            _ = try await store.retire(uid: "one", at: now)
            _ = try await store.retire(uid: "never", at: now)
            for uid: UID in ["one", "never"] {
                for isAnonymous in [true, false] {
                    let bearer = FirebaseCaller(uid: uid, isAnonymous: isAnonymous, email: EmailAddress("a@x"))
                    #expect(try await store.account(of: bearer, at: now) == .retired)
                }
                #expect(try await store.account(uid: uid) == nil)
            }
        }
    }

    @Test("A caller whose account is disabled gets the account, marked as disabled", arguments: Database.allCases)
    func disabled(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.make("one", of: .baseline())
            _ = try await store.setDisabled(true, uid: "one")
            let bearer = FirebaseCaller(uid: "one", isAnonymous: false, email: nil)
            guard case .account(let account) = try await store.account(of: bearer, at: now) else { throw Unexpected() }
            #expect(account.isDisabled && !account.isAdopted)
        }
    }

    @Test("A sweep removes only expired anonymous accounts, the oldest first", arguments: Database.allCases)
    func sweep(database: Database) async throws {
        try await database.withStore { store async throws in
            for (index, uid) in (["e", "d", "c", "b", "a"] as [UID]).enumerated() {
                let end = now + .seconds(index)
                _ = try await store.makeAnonymous(candidates: [uid], deleteAfter: end, at: now)
            }
            _ = try await store.makeAnonymous(candidates: ["endless"], deleteAfter: nil, at: now)
            for (uid, change) in Self.spared {
                var account = StoredAccount(uid: uid, anonymousUntil: now, at: now)
                change(&account)
                #expect(try await store.add(account) == .added)
            }
            let end = now + .seconds(3)
            #expect(try await store.countStaleAnonymous(at: now - .seconds(1)) == 0)
            #expect(try await store.sweepAnonymous(at: now - .seconds(1), atMost: 9) == [])
            #expect(try await store.countStaleAnonymous(at: end) == 4)
            for (limit, uids): (Int, [UID]) in [(-1, []), (0, []), (3, ["e", "d", "c"]), (9, ["b"]), (9, [])] {
                #expect(try await store.sweepAnonymous(at: end, atMost: limit) == uids)
            }
            #expect(try await store.countStaleAnonymous(at: end) == 0)
            let left = try await store.accounts(after: nil, atMost: 99).map(\.uid)
            #expect(left == (["a", "endless"] + Self.spared.map(\.uid)).sorted())
            #expect(
                try await store.account(of: FirebaseCaller(uid: "e", isAnonymous: true, email: nil), at: now)
                    == .retired)
            await #expect(throws: StoreError.noFreeUID) { try await store.enter(as: "e", "b") }
        }
    }

    private static let spared: [(uid: UID, change: @Sendable (inout StoredAccount) -> Void)] = [
        ("adopted", { $0.isAdopted = true }), ("password", { $0.hasOtherSignInMethod = true }),
        ("permanent", { $0.isAnonymous = false }),
        ("linked", { $0.identities = [StoredIdentity(.baseline("linked"), at: now)] }),
    ]

    @Test(
        "Marking sets an end for anonymous accounts without one, except adopted ones",
        arguments: Database.allCases)
    func mark(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.make("one", of: .baseline())
            _ = try await store.makeAnonymous(candidates: ["a"], deleteAfter: nil, at: now)
            _ = try await store.makeAnonymous(candidates: ["b"], deleteAfter: now, at: now)
            _ = try await store.account(of: FirebaseCaller(uid: "adopted", isAnonymous: true, email: nil), at: now)
            #expect(try await store.markAnonymous(deleteAfter: later) == 1)
            #expect(try await store.markAnonymous(deleteAfter: later) == 0)
            let ends = try await store.accounts(after: nil, atMost: 9).map(\.deleteAfter)
            #expect(ends == [later, now + .seconds(86400), now, nil])
        }
    }

    @Test(
        "An anonymous account with another sign-in method at Firebase becomes permanent", arguments: Database.allCases)
    func anotherSignInMethod(database: Database) async throws {
        try await database.withStore { store async throws in
            let native = FirebaseCaller(uid: "a", isAnonymous: false, email: nil, signInMethods: ["password"])
            let ours = FirebaseCaller(uid: "a", isAnonymous: false, email: nil)
            #expect(try await store.makeAnonymous(candidates: ["a"], deleteAfter: now, at: now) == "a")
            guard case .account(let before) = try await store.account(of: ours, at: now) else { throw Unexpected() }
            #expect(before.isAnonymous && !before.hasOtherSignInMethod)
            #expect(try await store.staleAnonymous(at: now, atMost: 9) == ["a"])
            guard case .account(let after) = try await store.account(of: native, at: now) else { throw Unexpected() }
            #expect(!after.isAnonymous && after.hasOtherSignInMethod && after.deleteAfter == nil && !after.isAdopted)
            #expect(try await store.account(of: ours, at: later) == .account(after))
            #expect(try await store.staleAnonymous(at: later, atMost: 9) == [])
            #expect(try await store.sweepAnonymous(at: later, atMost: 9) == [])
        }
    }

    @Test(
        "A token that identifies its user makes an anonymous account permanent and names the sign-in method",
        arguments: Database.allCases)
    func identified(database: Database) async throws {
        try await database.withStore { store async throws in
            for (uid, ways, expected) in [
                ("a", ["google.com"], ["google.com"]), ("b", [], ["password"]),
            ] as [(UID, SignInMethods, [ProviderID])] {
                _ = try await store.makeAnonymous(candidates: [uid], deleteAfter: now, at: now)
                let bearer = FirebaseCaller(
                    uid: uid, isAnonymous: false, email: nil, signInMethods: ways, hasIdentity: true)
                guard case .account(let account) = try await store.account(of: bearer, at: now) else {
                    throw Unexpected()
                }
                #expect(!account.isAnonymous && account.hasOtherSignInMethod && account.deleteAfter == nil)
                #expect(account.signInMethods.names == expected)
                #expect(try await store.account(uid: uid) == account)
            }
            #expect(try await store.sweepAnonymous(at: later, atMost: 9) == [])
        }
    }

    @Test(
        "The sign-in methods of an account at Firebase are stored, and new ones are added", arguments: Database.allCases
    )
    func signInMethods(database: Database) async throws {
        try await database.withStore { store async throws in
            for (ways, expected) in [
                (["password"], ["password"]), (["google.com"], ["google.com", "password"]),
                ([], ["google.com", "password"]),
            ] as [(SignInMethods, [ProviderID])] {
                let bearer = FirebaseCaller(uid: "native", isAnonymous: false, email: nil, signInMethods: ways)
                guard case .account(let account) = try await store.account(of: bearer, at: now) else {
                    throw Unexpected()
                }
                #expect(account.signInMethods.names == expected)
                #expect(try await store.account(uid: "native") == account)
            }
            // A caller of this kind was made by a custom token of another backend of the project.
            let custom = FirebaseCaller(uid: "custom", isAnonymous: false, email: nil)
            guard case .account(let account) = try await store.account(of: custom, at: now) else { throw Unexpected() }
            #expect(account.signInMethods.names == ["custom"] && account.hasOtherSignInMethod)
        }
    }

    @Test("A swept uid stays listed until its Firebase user was handled", arguments: Database.allCases)
    func left(database: Database) async throws {
        try await database.withStore { store async throws in
            for uid: UID in ["a", "b", "c"] {
                _ = try await store.makeAnonymous(candidates: [uid], deleteAfter: now, at: now)
            }
            #expect(try await store.leftAtFirebase(atMost: 9) == [])
            for uids: [UID] in [["c"], ["b", "a"]] { #expect(try await store.sweepAnonymous(uids, at: now) == uids) }
            #expect(try await store.leftAtFirebase(atMost: 2) == ["a", "b"])
            try await store.forgetLeftAtFirebase(["a", "c", "unknown"])
            try await store.forgetLeftAtFirebase([])
            #expect(try await store.leftAtFirebase(atMost: 9) == ["b"])
        }
    }
}
