import Fixtures
import JOSE
import Standards
import Stores
import Testing

@Suite("Conformance of merging", .serialized)
struct MergeConformance {
    private let twitter = IncomingIdentity.baseline("X", at: "twitter.com", email: "two@x")

    /// Runs `body` with two accounts of one identity each.
    private func withTwo(
        _ database: Database, _ body: (any Store) async throws -> Void
    ) async throws {
        try await database.withStore { store async throws in
            try await store.make("one", of: .baseline())
            try await store.make("two", of: twitter)
            try await body(store)
        }
    }

    @Test("A merge moves all identities and retires the uid of the emptied account", arguments: Database.allCases)
    func merged(database: Database) async throws {
        try await withTwo(database) { store async throws in
            var expected = try #require(try await store.account(uid: "one"))
            let going = try #require(try await store.account(uid: "two"))
            expected.identities = going.identities + expected.identities
            expected.email = going.email
            #expect(try await store.merge("two", into: "one", at: later) == .merged(expected))
            #expect(try await store.account(uid: "one") == expected)
            #expect(try await store.account(uid: "two") == nil)
            #expect(try await store.enter(twitter.identity) == "one")
            #expect(
                try await store.account(of: FirebaseCaller(uid: "two", isAnonymous: false, email: nil), at: now)
                    == .retired)
            let new = ExternalIdentity(provider: "p", subject: "s")
            await #expect(throws: StoreError.noFreeUID) { try await store.enter(new, as: "two") }
            #expect(try await store.merge("two", into: "one", at: later) == .unknownAccount)
        }
    }

    @Test(
        "A merge makes the remaining account permanent, unless the other account is anonymous as well",
        arguments: Database.allCases)
    func anonymous(database: Database) async throws {
        try await withTwo(database) { store async throws in
            for uid: UID in ["a", "b", "c"] {
                _ = try await store.makeAnonymous(candidates: [uid], deleteAfter: later, at: now)
            }
            let one = try #require(try await store.account(uid: "one"))
            #expect(try await store.merge("a", into: "one", at: now) == .merged(one))
            let c = try #require(try await store.account(uid: "c"))
            #expect(c.isAnonymous && c.deleteAfter == later)
            _ = try await store.makeAnonymous(candidates: ["d"], deleteAfter: nil, at: now)
            #expect(try await store.merge("d", into: "c", at: now) == .merged(c))
            guard case .merged(let b) = try await store.merge("two", into: "b", at: now) else { throw Unexpected() }
            #expect(!b.isAnonymous && b.deleteAfter == nil && b.identities.count == 1)
        }
    }

    @Test(
        "Accounts with identities of the same provider cannot be merged, and nothing is changed",
        arguments: Database.allCases)
    func providerTaken(database: Database) async throws {
        try await withTwo(database) { store async throws in
            try await store.make("three", of: .baseline("THREE"))
            _ = try await store.link(.baseline("Y", at: "google.com"), to: "three", at: now)
            let before = try await store.accounts(after: nil, atMost: 9)
            #expect(try await store.merge("three", into: "one", at: now) == .providerTaken)
            #expect(try await store.accounts(after: nil, atMost: 9) == before)
        }
    }

    @Test(
        "An unknown or disabled account, or one with another sign-in method, is not merged into another",
        arguments: Database.allCases)
    func refused(database: Database) async throws {
        try await withTwo(database) { store async throws in
            _ = try await store.account(of: FirebaseCaller(uid: "native", isAnonymous: false, email: nil), at: now)
            #expect(try await store.merge("native", into: "one", at: now) == .otherSignInMethod)
            for uid: UID in ["one", "two"] {
                _ = try await store.setDisabled(true, uid: uid)
                #expect(try await store.merge("two", into: "one", at: now) == .refused(.disabled))
                _ = try await store.setDisabled(false, uid: uid)
            }
            for (uid, other): (UID, UID) in [
                ("one", "one"), ("one", "nobody"), ("nobody", "one"), ("ONE", "one"),
            ] {
                #expect(try await store.merge(uid, into: other, at: now) == .unknownAccount)
            }
            #expect(try await store.accounts(after: nil, atMost: 9).count == 3)
            guard case .merged(let native) = try await store.merge("one", into: "native", at: now)
            else { throw Unexpected() }
            #expect(native.hasOtherSignInMethod && native.isAdopted && native.identities.count == 1)
        }
    }
}
