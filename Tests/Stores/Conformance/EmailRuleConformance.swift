import Fixtures
import JOSE
import Standards
import Stores
import Testing

@Suite("Conformance of the rule for email addresses", .serialized)
struct EmailRuleConformance {
    private let address = EmailAddress("someone@example.com")

    @Test("LK-14: a new identity with the address of another account makes no account", arguments: Database.allCases)
    func taken(database: Database) async throws {
        try await database.withStore { store async throws in
            #expect(try await store.signIn("one") == .signedIn(uid: "one", isNew: true, hasFactor: false))
            let one = try #require(try await store.account(uid: "one"))
            #expect(one.email == address)
            #expect(try await store.signIn("two") == .emailTaken(by: [one]))
            #expect(try await store.account(uid: "two") == nil)
            let withoutUID = try await store.signIn(
                .baseline("two", email: "someone@example.com"), candidates: ["one"], emails: .oneAccountEach, at: now)
            #expect(withoutUID == .emailTaken(by: [one]))
            #expect(
                try await store.signIn("two", "someone@example.org")
                    == .signedIn(uid: "two", isNew: true, hasFactor: false))
            #expect(
                try await store.signIn("two") == .signedIn(uid: "two", isNew: false, hasFactor: false),
                "Who is known is let in.")
            #expect(try await store.signIn("three", nil) == .signedIn(uid: "three", isNew: true, hasFactor: false))
        }
    }

    @Test(
        "If addresses are shared, each identity gets an account, and a later conflict names all of them",
        arguments: Database.allCases)
    func shared(database: Database) async throws {
        try await database.withStore { store async throws in
            for subject: Subject in ["b", "a", "c"] {
                #expect(
                    try await store.signIn(subject, emails: .shared)
                        == .signedIn(uid: "\(subject)", isNew: true, hasFactor: false))
            }
            guard case .emailTaken(let accounts) = try await store.signIn("d") else { throw Unexpected() }
            #expect(accounts.map(\.uid) == ["a", "b", "c"])
            #expect(accounts.allSatisfy { $0.email == address && $0.identities.count == 1 })
            #expect(try await store.signIn("d", emails: .shared) == .signedIn(uid: "d", isNew: true, hasFactor: false))
        }
    }

    @Test("An address from a link, an adoption or an import is taken too", arguments: Database.allCases)
    func otherWays(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.make("one", of: .baseline("one"))
            _ = try await store.link(.baseline("x", at: "twitter.com", email: "link@x"), to: "one", at: now)
            _ = try await store.account(
                of: FirebaseCaller(uid: "two", isAnonymous: false, email: EmailAddress("bearer@x")), at: now)
            var added = StoredAccount(uid: "three", createdAt: now)
            added.email = EmailAddress("added@x")
            #expect(try await store.add(added) == .added)
            for (uid, email): (UID, String) in [("one", "link@x"), ("two", "bearer@x"), ("three", "added@x")] {
                let account = try #require(try await store.account(uid: uid))
                #expect(account.email == EmailAddress(email))
                #expect(try await store.signIn("new", email) == .emailTaken(by: [account]))
            }
        }
    }

    @Test("A link or an adoption does not give an account the address of another account", arguments: Database.allCases)
    func notTwice(database: Database) async throws {
        try await database.withStore { store async throws in
            #expect(try await store.signIn("owner") == .signedIn(uid: "owner", isNew: true, hasFactor: false))
            try await store.make("one", of: .baseline("one"))
            let arrival = IncomingIdentity.baseline("x", at: "twitter.com", email: "someone@example.com")
            guard case .linked(let one) = try await store.link(arrival, to: "one", at: now) else { throw Unexpected() }
            #expect(one.email == nil && one.identities.count == 2)
            let bearer = FirebaseCaller(uid: "two", isAnonymous: false, email: address)
            guard case .account(let two) = try await store.account(of: bearer, at: now) else { throw Unexpected() }
            #expect(two.email == nil)
            #expect(try await store.account(uid: "one") == one)
            #expect(try await store.account(uid: "two") == two)
        }
    }

    @Test(
        "If 30 identities with one address sign in concurrently, one gets an account",
        arguments: Database.allCases)
    func race(database: Database) async throws {
        try await database.withStores(2) { stores async throws in
            for round in 0..<3 {
                let decisions = try await all(30) { index in
                    try await stores[index % 2].signIn(
                        .baseline("\(round)", at: "provider-\(index)", email: "\(round)@x"),
                        candidates: ["\(round)-\(index)"], emails: .oneAccountEach, at: now)
                }
                let winner = try #require(
                    decisions.compactMap { if case .signedIn(let uid, true, _, _) = $0 { uid } else { nil } }.first)
                let account = try #require(try await stores[0].account(uid: winner))
                #expect(decisions.count { $0 == .emailTaken(by: [account]) } == 29)
            }
            #expect(try await stores[0].accounts(after: nil, atMost: 99).count == 3)
        }
    }

    @Test(
        "If sign-ins, links and callers bring one address concurrently, one account gets it",
        arguments: Database.allCases)
    func mixedRace(database: Database) async throws {
        try await database.withStores(2) { stores async throws in
            for round in 0..<5 {
                for index in 0..<8 { try await stores[0].make("\(round) \(index)", of: .baseline("\(round) \(index)")) }
                let email = "\(round)@x"
                _ = try await all(24) { index in
                    let store = stores[index % 2]
                    let uid: UID = "\(round) \(index)"
                    switch index {
                    case 0..<8:
                        _ = try await store.link(
                            .baseline(Subject(uid), at: "twitter.com", email: email), to: uid, at: now)
                    case 8..<16:
                        let bearer = FirebaseCaller(uid: uid, isAnonymous: false, email: EmailAddress(email))
                        _ = try await store.account(of: bearer, at: now)
                    default:
                        _ = try await store.signIn(
                            .baseline(Subject(uid), email: email), candidates: [uid], emails: .oneAccountEach, at: now)
                    }
                }
                let accounts = try await stores[0].accounts(after: nil, atMost: 999)
                #expect(accounts.count { $0.email == EmailAddress(email) } == 1)
            }
        }
    }
}
