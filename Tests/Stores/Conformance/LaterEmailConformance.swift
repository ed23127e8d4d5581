import JOSE
import Stores
import Testing

/// Tests of an address that a sign-in brings to an existing account.
@Suite("Conformance of addresses that come later", .serialized)
struct LaterEmailConformance {
    private let address = EmailAddress("someone@example.com")

    private func signIn(
        _ store: any Store, _ subject: String, _ email: String? = "Someone@Example.com",
        emails: EmailRule = .oneAccountEach
    ) async throws -> SignInDecision {
        try await store.signIn(.baseline(subject, email: email), candidates: [subject], emails: emails, at: now)
    }

    @Test("It becomes the account's if no other account has it, and counts from then on", arguments: Database.allCases)
    func taken(database: Database) async throws {
        try await database.withStore { store async throws in
            #expect(try await signIn(store, "one", nil) == .signedIn(uid: "one", isNew: true))
            #expect(try await store.account(uid: "one")?.email == nil)
            #expect(try await signIn(store, "one") == .signedIn(uid: "one", isNew: false))
            let one = try #require(try await store.account(uid: "one"))
            #expect(one.email == address)
            #expect(try await signIn(store, "two") == .emailTaken(by: [one]))
        }
    }

    @Test("If another account has it, nothing is joined, and that account is named", arguments: Database.allCases)
    func held(database: Database) async throws {
        try await database.withStore { store async throws in
            #expect(try await signIn(store, "owner") == .signedIn(uid: "owner", isNew: true))
            #expect(try await signIn(store, "one", nil) == .signedIn(uid: "one", isNew: true))
            for _ in 0..<2 {
                let decision = try await signIn(store, "one")
                #expect(decision == .signedIn(uid: "one", isNew: false, emailHeldBy: ["owner"]))
            }
            #expect(try await store.account(uid: "one")?.email == nil)
            #expect(try await store.account(uid: "owner")?.email == address)
            #expect(try await store.retire(uid: "owner", at: now))
            #expect(try await signIn(store, "one") == .signedIn(uid: "one", isNew: false))
            #expect(try await store.account(uid: "one")?.email == address)
        }
    }

    @Test("Where addresses are shared it becomes the account's in any case", arguments: Database.allCases)
    func shared(database: Database) async throws {
        try await database.withStore { store async throws in
            #expect(try await signIn(store, "owner", emails: .shared) == .signedIn(uid: "owner", isNew: true))
            #expect(try await signIn(store, "one", nil, emails: .shared) == .signedIn(uid: "one", isNew: true))
            #expect(try await signIn(store, "one", emails: .shared) == .signedIn(uid: "one", isNew: false))
            #expect(try await store.account(uid: "one")?.email == address)
        }
    }

    @Test("An account that has an address keeps it", arguments: Database.allCases)
    func kept(database: Database) async throws {
        try await database.withStore { store async throws in
            #expect(try await signIn(store, "one") == .signedIn(uid: "one", isNew: true))
            // Also in an hour, when something is written.
            for moment in [now, now + .seconds(3600)] {
                let decision = try await store.signIn(
                    .baseline("one", email: "other@x"), candidates: ["one"], emails: .oneAccountEach, at: moment)
                #expect(decision == .signedIn(uid: "one", isNew: false))
                #expect(try await store.account(uid: "one")?.email == address)
            }
        }
    }

    @Test("Of many accounts that are brought one address at once, one has it", arguments: Database.allCases)
    func race(database: Database) async throws {
        try await database.withStore { store async throws in
            let subjects = (0..<8).map { "account-\($0)" }
            for subject in subjects { _ = try await signIn(store, subject, nil) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for subject in subjects { group.addTask { _ = try await signIn(store, subject) } }
                try await group.waitForAll()
            }
            let accounts = try await store.accounts(after: nil, atMost: 99)
            #expect(accounts.filter { $0.email == address }.count == 1)
        }
    }

    @Test(
        "An account that is brought many addresses at once takes one, and keeps none from others",
        arguments: Database.allCases)
    func manyAddresses(database: Database) async throws {
        try await database.withStore { store async throws in
            _ = try await signIn(store, "one", nil)
            let addresses = (0..<8).map { "address-\($0)@example.com" }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for address in addresses { group.addTask { _ = try await signIn(store, "one", address) } }
                try await group.waitForAll()
            }
            let taken = try #require(try await store.account(uid: "one")?.email)
            for (index, address) in addresses.enumerated() where EmailAddress(address) != taken {
                let uid = "other-\(index)"
                #expect(try await signIn(store, uid, address) == .signedIn(uid: uid, isNew: true))
            }
        }
    }
}
