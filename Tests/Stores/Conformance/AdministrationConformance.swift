import Fixtures
import JOSE
import Standards
import Stores
import Testing

@Suite("Conformance of administration", .serialized)
struct AdministrationConformance {
    /// An account with all properties set.
    private var whole: StoredAccount {
        var account = StoredAccount(uid: "whole", createdAt: now)
        account.isAnonymous = true
        account.deleteAfter = later
        account.isAdopted = true
        account.hasOtherSignInMethod = true
        account.isDisabled = true
        account.email = EmailAddress("whole@x")
        account.identities = ["a", "b"].map { provider in
            StoredIdentity(
                identity: ExternalIdentity(provider: provider, subject: "s\u{0}"),
                details: IdentityDetails(email: "e", name: "n\u{0}", picture: nil), linkedAt: now, lastUsedAt: later)
        }
        return account
    }

    @Test("An added account is found with the same values", arguments: Database.allCases)
    func added(database: Database) async throws {
        try await database.withStore { store async throws in
            let bare = StoredAccount(uid: "bare", createdAt: later)
            for account in [whole, bare] {
                #expect(try await store.add(account) == .added)
                #expect(try await store.account(uid: account.uid) == account)
            }
            #expect(try await store.account(of: ExternalIdentity(provider: "b", subject: "s\u{0}")) == whole)
        }
    }

    @Test("An account that cannot be added leaves nothing behind", arguments: Database.allCases)
    func notAdded(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.make("one", of: .baseline("s\u{0}", at: "b"))
            _ = try await store.retire(uid: "retired", at: now)
            for uid: UID in ["one", "retired"] {
                #expect(try await store.add(StoredAccount(uid: uid, createdAt: now)) == .uidTaken)
            }
            #expect(
                try await store.add(whole) == .identityTaken(ExternalIdentity(provider: "b", subject: "s\u{0}")))
            #expect(try await store.accounts(after: nil, atMost: 9).map(\.uid) == ["one"])
            #expect(try await store.account(of: ExternalIdentity(provider: "a", subject: "s\u{0}")) == nil)
            var twice = StoredAccount(uid: "twice", createdAt: now)
            twice.identities = ["1", "2"].map { StoredIdentity(.baseline($0), at: now) }
            await #expect(throws: database.violation(of: "23505")) { try await store.add(twice) }
            _ = try await store.retire(uid: "one", at: now)
            #expect(try await store.add(whole) == .added)
        }
    }

    @Test(
        "Accounts are listed in pages, in the byte order of their uids, with all identities",
        arguments: Database.allCases)
    func pages(database: Database) async throws {
        try await database.withStore { store async throws in
            let uids: [UID] = ["B", "a", "a\u{0}", "aa", "b", "e\u{301}", "é"]
            for (index, uid) in uids.reversed().enumerated() {
                try await store.make(uid, of: .baseline("\(index)"))
                _ = try await store.link(.baseline("\(index)", at: "twitter.com"), to: uid, at: now)
            }
            var found: [StoredAccount] = []
            for count in [3, 3, 1, 0] {
                let page = try await store.accounts(after: found.last?.uid, atMost: 3)
                #expect(page.count == count)
                found += page
            }
            #expect(found.map(\.uid) == uids)
            #expect(found.allSatisfy { $0.identities.map(\.identity.provider) == ["twitter.com", "yahoo.com"] })
            for limit in [0, -1] { #expect(try await store.accounts(after: nil, atMost: limit) == []) }
        }
    }

    @Test(
        "Disabling affects only the named account, and fails if there is no such account", arguments: Database.allCases)
    func disabled(database: Database) async throws {
        try await database.withStore { store async throws in
            for uid: UID in ["one", "two"] { try await store.make(uid, of: .baseline(Subject(uid))) }
            for isDisabled in [true, true, false] {
                #expect(try await store.setDisabled(isDisabled, uid: "one"))
                #expect(try await store.account(uid: "one")?.isDisabled == isDisabled)
                #expect(try await store.account(uid: "two")?.isDisabled == false)
            }
            #expect(try await !store.setDisabled(true, uid: "nobody"))
        }
    }
}
