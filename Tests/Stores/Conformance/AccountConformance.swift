import Fixtures
import JOSE
import Standards
import Stores
import Testing

@Suite("Conformance of sign-ins", .serialized)
struct AccountConformance {
    private let other = ExternalIdentity(provider: "twitter.com", subject: ExternalIdentity.baseline.subject)

    @Test("A new identity gets the first free candidate and keeps that uid", arguments: Database.allCases)
    func candidates(database: Database) async throws {
        try await database.withStore { store async throws in
            for (candidates, isNew): ([UID], Bool) in [(["one", "two"], true), (["three"], false), ([], false)] {
                let decision = try await store.signIn(
                    .baseline(), candidates: candidates, emails: .oneAccountEach, at: now)
                #expect(decision == .signedIn(uid: "one", isNew: isNew, hasFactor: false))
            }
            await #expect(throws: StoreError.noFreeUID) { try await store.enter(other, as: "one") }
            await #expect(throws: StoreError.noFreeUID) { try await store.enter(other, as: "one", "one") }
            await #expect(throws: StoreError.noFreeUID) { try await store.enter(other) }
            #expect(try await store.enter(other, as: "one", "two") == "two")
            #expect(try await store.enter(as: "three") == "one")
        }
    }

    @Test("An account is found only by its own identity and has the stored values", arguments: Database.allCases)
    func found(database: Database) async throws {
        try await database.withStore { store async throws in
            let details = IdentityDetails(email: "Someone@Example.com", name: "é\u{0} e\u{301}", picture: "https://p/")
            let arrival = IncomingIdentity(
                identity: .baseline, details: details, email: EmailAddress("Someone@Example.com"))
            try await store.make("one", of: arrival)
            var expected = StoredAccount(uid: "one", createdAt: now)
            expected.email = EmailAddress("someone@example.com")
            expected.identities = [
                StoredIdentity(identity: .baseline, details: details, linkedAt: now, lastUsedAt: now)
            ]
            let found = try #require(try await store.account(of: .baseline))
            #expect(found == expected)
            let name = try #require(found.identities[0].details.name)
            #expect(Array(name.utf8) == Array("é\u{0} e\u{301}".utf8))
            #expect(try await store.account(of: other) == nil)
            #expect(try await store.account(uid: "ONE") == nil)
        }
    }

    @Test(
        "MT-04: subjects and uids are compared byte by byte and returned unchanged",
        arguments: Database.allCases)
    func octets(database: Database) async throws {
        let texts = [
            "é", "e\u{301}", "É", "K", "\u{212A}", "k", "a", " a", "a ", "a\u{0}", "a\u{0}b", "\u{FEFF}a", "01", "1",
            "1.0", "1e0", "ß", "ss", "ﬁ", "fi",
        ]
        try await database.withStore { store async throws in
            for text in texts { try await store.make("\(text)", of: .baseline("\(text)")) }
            for text in texts {
                let uid = try await store.enter(ExternalIdentity(provider: "yahoo.com", subject: "\(text)"))
                #expect(uid == "\(text)")
            }
        }
    }

    @Test(
        "The same text split differently into provider and subject gives different identities",
        arguments: Database.allCases)
    func borders(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.make("one", of: .baseline("bc", at: "a"))
            try await store.make("two", of: .baseline("c", at: "ab"))
        }
    }

    @Test("A retired uid is never assigned again, even if it had no account", arguments: Database.allCases)
    func retired(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.make("one", of: .baseline())
            try await store.make("other", of: .baseline(at: "twitter.com"))
            #expect(try await store.retire(uid: "one", at: now))
            #expect(try await !store.retire(uid: "one", at: later))
            #expect(try await !store.retire(uid: "two", at: later))
            await #expect(throws: StoreError.noFreeUID) { try await store.enter(as: "one", "two") }
            #expect(try await store.enter(as: "one", "two", "three", at: later) == "three")
            #expect(try await store.account(uid: "three")?.createdAt == later)
            #expect(try await store.enter(other) == "other", "No other account is touched.")
        }
    }

    @Test("A sign-in with an empty provider fails and does not use the uid", arguments: Database.allCases)
    func empty(database: Database) async throws {
        try await database.withStore { store async throws in
            await #expect(throws: database.violation(of: "23514")) {
                try await store.enter(ExternalIdentity(provider: "", subject: "s"), as: "u")
            }
            #expect(try await store.enter(as: "u") == "u")
        }
    }

    @Test(
        "LK-19: a sign-in to a disabled account is refused and changes nothing until the account is enabled",
        arguments: Database.allCases)
    func disabled(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.make("one", of: .baseline())
            #expect(try await store.setDisabled(true, uid: "one"))
            let before = try await store.account(uid: "one")
            let arrival = IncomingIdentity(identity: .baseline, details: IdentityDetails(name: "new"), email: nil)
            let refused = try await store.signIn(
                arrival, candidates: ["two"], emails: .oneAccountEach, at: now + .seconds(7200))
            #expect(refused == .refused(.disabled))
            #expect(try await store.account(uid: "one") == before)
            #expect(try await store.setDisabled(false, uid: "one"))
            #expect(try await store.enter() == "one")
        }
    }

    @Test(
        "Each detail from the provider replaces the stored one, and an absent one leaves it: Apple sends a name only once",
        arguments: Database.allCases
    )
    func details(database: Database) async throws {
        try await database.withStore { store async throws in
            let first = IdentityDetails(email: "a", name: "é", picture: nil)
            let second = IdentityDetails(email: "a", name: "e\u{301}", picture: nil)
            let third = IdentityDetails(email: nil, name: nil, picture: "p")
            for (details, kept) in [
                (first, first), (IdentityDetails(), first), (second, second), (IdentityDetails(), second),
                (third, IdentityDetails(email: "a", name: "e\u{301}", picture: "p")),
            ] {
                let arrival = IncomingIdentity(identity: .baseline, details: details, email: nil)
                _ = try await store.signIn(arrival, candidates: ["one"], emails: .oneAccountEach, at: now)
                let found = try #require(try await store.account(uid: "one")?.identities.first)
                #expect(found.details == kept)
                #expect(found.details.name.map { Array($0.utf8) } == kept.name.map { Array($0.utf8) })
            }
        }
    }

    @Test(
        "The time of the last use advances at most once an hour, unless details change, and never goes back",
        arguments: Database.allCases)
    func lastUse(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.make("one", of: .baseline())
            for (seconds, kept) in [(3599, 0), (3600, 3600), (7199, 3600), (9000, 9000), (0, 9000)] {
                try await store.enter(as: "one", at: now + .seconds(seconds))
                let identity = try #require(try await store.account(uid: "one")?.identities.first)
                #expect(identity.lastUsedAt == now + .seconds(kept))
                #expect(identity.linkedAt == now)
            }
            let arrival = IncomingIdentity(identity: .baseline, details: IdentityDetails(name: "n"), email: nil)
            _ = try await store.signIn(arrival, candidates: [], emails: .oneAccountEach, at: now + .seconds(9001))
            #expect(try await store.account(uid: "one")?.identities.first?.lastUsedAt == now + .seconds(9001))
        }
    }
}
