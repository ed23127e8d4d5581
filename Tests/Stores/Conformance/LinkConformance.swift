import Fixtures
import JOSE
import Standards
import Stores
import Testing

@Suite("Conformance of linking and unlinking", .serialized)
struct LinkConformance {
    private let twitter = IncomingIdentity.baseline("X", at: "twitter.com")

    @Test("A linked identity belongs to the account and signs in to it", arguments: Database.allCases)
    func linked(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.make("one", of: .baseline())
            let details = IdentityDetails(email: "e\u{0}", name: "n", picture: "p")
            let arrival = IncomingIdentity(identity: twitter.identity, details: details, email: EmailAddress("a@x"))
            guard case .linked(let account) = try await store.link(arrival, to: "one", at: later)
            else { throw Unexpected() }
            #expect(account.identities.map(\.identity.provider) == ["twitter.com", "yahoo.com"])
            #expect(
                account.identities.first
                    == StoredIdentity(identity: arrival.identity, details: details, linkedAt: later, lastUsedAt: later))
            #expect(account.email == EmailAddress("a@x") && account.createdAt == now)
            #expect(try await store.account(uid: "one") == account)
            #expect(try await store.account(of: arrival.identity) == account)
            #expect(try await store.enter(arrival.identity, at: later) == "one")
        }
    }

    @Test("Linking the same identity again changes nothing", arguments: Database.allCases)
    func again(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.make("one", of: .baseline())
            let before = try #require(try await store.account(uid: "one"))
            #expect(try await store.link(.baseline(email: "a@x"), to: "one", at: later) == .linked(before))
            #expect(try await store.account(uid: "one") == before)
        }
    }

    @Test("LK-06, LK-15: an identity of another account stays with that account", arguments: Database.allCases)
    func taken(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.make("one", of: .baseline())
            try await store.make("two", of: twitter)
            let two = try #require(try await store.account(uid: "two"))
            let anonymous = try await store.makeAnonymous(candidates: ["anonymous"], deleteAfter: later, at: now)
            try await store.make("three", of: .baseline("THREE", at: "twitter.com"))
            for uid in ["one", anonymous, "three"] {
                let before = try await store.account(uid: uid)
                #expect(try await store.link(twitter, to: uid, at: now) == .identityTaken(by: two))
                #expect(try await store.account(uid: uid) == before)
            }
        }
    }

    @Test(
        "An identity takes the place of the one of its provider, also if the account has no other",
        arguments: Database.allCases)
    func replaced(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.make("one", of: .baseline())
            try await store.make("two", of: twitter)
            let new = IncomingIdentity.baseline("NEW")
            let two = try #require(try await store.account(uid: "two"))
            #expect(try await store.replace(twitter, of: "one", at: later) == .identityTaken(by: two))
            #expect(try await store.replace(new, of: "three", at: later) == .unknownAccount)
            guard case .linked(let account) = try await store.replace(new, of: "one", at: later)
            else { throw Unexpected() }
            #expect(account.identities == [StoredIdentity(new, at: later)])
            #expect(try await store.account(uid: "one") == account)
            #expect(try await store.account(of: .baseline) == nil)
            #expect(try await store.replace(new, of: "one", at: later) == .linked(account))
            #expect(try await store.enter(new.identity, at: later) == "one")
            // Without an identity of the provider, it is linked beside the others.
            guard case .linked(let both) = try await store.replace(.baseline(), of: "two", at: later)
            else { throw Unexpected() }
            #expect(both.identities.map(\.identity) == [twitter.identity, .baseline])
        }
    }

    @Test("A second identity of the same provider is refused", arguments: Database.allCases)
    func providerTaken(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.make("one", of: .baseline())
            #expect(try await store.link(.baseline("OTHER"), to: "one", at: now) == .providerTaken)
            #expect(try await store.account(uid: "one")?.identities.count == 1)
            #expect(try await store.account(of: IncomingIdentity.baseline("OTHER").identity) == nil)
        }
    }

    @Test("Linking to an unknown or disabled account is refused", arguments: Database.allCases)
    func refused(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.make("one", of: .baseline())
            _ = try await store.setDisabled(true, uid: "one")
            #expect(try await store.link(twitter, to: "one", at: now) == .refused(.disabled))
            _ = try await store.retire(uid: "one", at: now)
            for uid: UID in ["one", "ONE", "never"] {
                #expect(try await store.link(twitter, to: uid, at: now) == .unknownAccount)
                #expect(try await store.unlink(provider: "yahoo.com", from: uid, at: now) == .unknownAccount)
            }
            #expect(try await store.account(of: twitter.identity) == nil)
        }
    }

    @Test(
        "LK-12, LK-17: an unlinked identity belongs to no account and can make a new one", arguments: Database.allCases)
    func unlinked(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.make("one", of: .baseline())
            try await store.make("other", of: .baseline("OTHER"))
            guard case .linked(let linked) = try await store.link(twitter, to: "one", at: now) else {
                throw Unexpected()
            }
            #expect(try await store.unlink(provider: "google.com", from: "one", at: now) == .notLinked)
            var expected = linked
            expected.identities.removeLast()
            #expect(try await store.unlink(provider: "yahoo.com", from: "one", at: now) == .unlinked(expected))
            #expect(try await store.unlink(provider: "yahoo.com", from: "one", at: now) == .notLinked)
            #expect(try await store.account(uid: "one") == expected)
            #expect(try await store.enter(as: "one", "new") == "new")
            #expect(try await store.enter(IncomingIdentity.baseline("OTHER").identity) == "other")
        }
    }

    @Test(
        "LK-11: the last identity cannot be unlinked, unless the account has another sign-in method",
        arguments: Database.allCases)
    func last(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.make("one", of: .baseline())
            #expect(try await store.unlink(provider: "yahoo.com", from: "one", at: now) == .lastIdentity)
            #expect(try await store.enter() == "one")
            _ = try await store.account(of: FirebaseCaller(uid: "two", isAnonymous: false, email: nil), at: now)
            _ = try await store.link(twitter, to: "two", at: now)
            guard case .unlinked(let account) = try await store.unlink(provider: "twitter.com", from: "two", at: now)
            else { throw Unexpected() }
            #expect(account.identities == [] && account.hasOtherSignInMethod)
        }
    }
}
