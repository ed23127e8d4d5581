import Fixtures
import JOSE
import Standards
import Stores
import Testing

/// Tests of an email address that a sign-in adds to an existing account.
@Suite("Conformance of email addresses that are added later", .serialized)
struct LaterEmailConformance {
    private let address = EmailAddress("someone@example.com")

    @Test("An account without an address gets a free one, which is then taken", arguments: Database.allCases)
    func taken(database: Database) async throws {
        try await database.withStore { store async throws in
            #expect(try await store.signIn("one", nil) == .signedIn(uid: "one", isNew: true, hasFactor: false))
            #expect(try await store.account(uid: "one")?.email == nil)
            #expect(try await store.signIn("one") == .signedIn(uid: "one", isNew: false, hasFactor: false))
            let one = try #require(try await store.account(uid: "one"))
            #expect(one.email == address)
            #expect(try await store.signIn("two") == .emailTaken(by: [one]))
        }
    }

    @Test(
        "An address of another account is not added, and the sign-in names that account", arguments: Database.allCases)
    func held(database: Database) async throws {
        try await database.withStore { store async throws in
            #expect(try await store.signIn("owner") == .signedIn(uid: "owner", isNew: true, hasFactor: false))
            #expect(try await store.signIn("one", nil) == .signedIn(uid: "one", isNew: true, hasFactor: false))
            for _ in 0..<2 {
                let decision = try await store.signIn("one")
                #expect(decision == .signedIn(uid: "one", isNew: false, emailHeldBy: ["owner"], hasFactor: false))
            }
            #expect(try await store.account(uid: "one")?.email == nil)
            #expect(try await store.account(uid: "owner")?.email == address)
            #expect(try await store.retire(uid: "owner", at: now))
            #expect(try await store.signIn("one") == .signedIn(uid: "one", isNew: false, hasFactor: false))
            #expect(try await store.account(uid: "one")?.email == address)
        }
    }

    @Test("If addresses are shared, the account gets the address in any case", arguments: Database.allCases)
    func shared(database: Database) async throws {
        try await database.withStore { store async throws in
            #expect(
                try await store.signIn("owner", emails: .shared)
                    == .signedIn(uid: "owner", isNew: true, hasFactor: false))
            #expect(
                try await store.signIn("one", nil, emails: .shared)
                    == .signedIn(uid: "one", isNew: true, hasFactor: false))
            #expect(
                try await store.signIn("one", emails: .shared) == .signedIn(uid: "one", isNew: false, hasFactor: false)
            )
            #expect(try await store.account(uid: "one")?.email == address)
        }
    }

    @Test("A sign-in does not replace the address of an account", arguments: Database.allCases)
    func kept(database: Database) async throws {
        try await database.withStore { store async throws in
            #expect(try await store.signIn("one") == .signedIn(uid: "one", isNew: true, hasFactor: false))
            // After an hour the sign-in also writes the time of the last use.
            for moment in [now, now + .seconds(3600)] {
                let decision = try await store.signIn(
                    .baseline("one", email: "other@x"), candidates: ["one"], emails: .oneAccountEach, at: moment)
                #expect(decision == .signedIn(uid: "one", isNew: false, hasFactor: false))
                #expect(try await store.account(uid: "one")?.email == address)
            }
        }
    }

    @Test("If many accounts bring one address concurrently, one gets it", arguments: Database.allCases)
    func race(database: Database) async throws {
        try await database.withStore { store async throws in
            let subjects: [Subject] = (0..<8).map { "account-\($0)" }
            for subject in subjects { _ = try await store.signIn(subject, nil) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for subject in subjects { group.addTask { _ = try await store.signIn(subject) } }
                try await group.waitForAll()
            }
            let accounts = try await store.accounts(after: nil, atMost: 99)
            #expect(accounts.filter { $0.email == address }.count == 1)
        }
    }

    @Test(
        "An account that brings many addresses concurrently gets one, and the others stay free",
        arguments: Database.allCases)
    func manyAddresses(database: Database) async throws {
        try await database.withStore { store async throws in
            _ = try await store.signIn("one", nil)
            let addresses = (0..<8).map { "address-\($0)@example.com" }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for address in addresses { group.addTask { _ = try await store.signIn("one", address) } }
                try await group.waitForAll()
            }
            let taken = try #require(try await store.account(uid: "one")?.email)
            for (index, address) in addresses.enumerated() where EmailAddress(address) != taken {
                let uid: UID = "other-\(index)"
                #expect(
                    try await store.signIn(Subject(uid), address) == .signedIn(uid: uid, isNew: true, hasFactor: false)
                )
            }
        }
    }
}
