import JOSE
import Stores
import Testing

@Suite("Conformance of the account directory", .serialized)
struct AccountConformance {
    @Test("An identity gets the first free candidate, and keeps it", arguments: Database.allCases)
    func candidates(database: Database) async throws {
        try await database.withStore { store async throws in
            #expect(
                try await store.account(of: .baseline, candidates: ["one", "two"], at: now)
                    == StoredAccount(uid: "one", isNew: true, createdAt: now))
            #expect(
                try await store.account(of: .baseline, candidates: ["three"], at: later)
                    == StoredAccount(uid: "one", isNew: false, createdAt: now))
            let other = ExternalIdentity(provider: "twitter.com", subject: ExternalIdentity.baseline.subject)
            for candidates in [["one"], ["one", "one"], []] {
                await #expect(throws: StoreError.noFreeUID) {
                    try await store.account(of: other, candidates: candidates, at: now)
                }
            }
            #expect(try await store.account(of: other, candidates: ["one", "two"], at: now).uid == "two")
        }
    }

    @Test(
        "MT-04: subjects and uids are compared octet by octet, and come back as they were",
        arguments: Database.allCases)
    func octets(database: Database) async throws {
        let texts = ["é", "e\u{301}", "K", "\u{212A}", "k", "a", " a", "a ", "a\u{0}", "a\u{0}b", "01", "1", "1.0"]
        try await database.withStore { store async throws in
            for text in texts {
                let identity = ExternalIdentity(provider: "yahoo.com", subject: text)
                #expect(try await store.account(of: identity, candidates: [text], at: now).isNew)
            }
            for text in texts {
                let identity = ExternalIdentity(provider: "yahoo.com", subject: text)
                let account = try await store.account(of: identity, candidates: [], at: now)
                #expect(Array(account.uid.utf8) == Array(text.utf8))
            }
        }
    }

    @Test("A retired uid is never given again, whether or not it was somebody's", arguments: Database.allCases)
    func retired(database: Database) async throws {
        try await database.withStore { store async throws in
            _ = try await store.account(of: .baseline, candidates: ["one"], at: now)
            #expect(try await store.retire(uid: "one", at: now))
            #expect(try await !store.retire(uid: "one", at: later))
            #expect(try await !store.retire(uid: "two", at: later))
            await #expect(throws: StoreError.noFreeUID) {
                try await store.account(of: .baseline, candidates: ["one", "two"], at: later)
            }
            #expect(
                try await store.account(of: .baseline, candidates: ["one", "two", "three"], at: later)
                    == StoredAccount(uid: "three", isNew: true, createdAt: later))
        }
    }

    @Test("Without provider, subject or uid there is no account, and nothing is taken", arguments: Database.allCases)
    func empty(database: Database) async throws {
        try await database.withStore { store async throws in
            for (provider, subject, uid) in [("", "s", "u"), ("p", "", "u"), ("p", "s", "")] {
                let identity = ExternalIdentity(provider: provider, subject: subject)
                await #expect(throws: StoreError.unavailable(.other)) {
                    try await store.account(of: identity, candidates: [uid], at: now)
                }
            }
            #expect(try await store.account(of: .baseline, candidates: ["u"], at: now).uid == "u")
        }
    }

    @Test(
        "50 first sign-ins of one person at two servers make one account, with other candidates and with the same",
        arguments: Database.allCases)
    func oneAccount(database: Database) async throws {
        try await database.withStores(2) { stores async throws in
            for isShared in [true, false] {
                let identity = ExternalIdentity(provider: "yahoo.com", subject: "\(isShared)")
                let accounts = try await all(50) { index in
                    let candidate = isShared ? "shared" : "uid-\(index)"
                    return try await stores[index % 2].account(of: identity, candidates: [candidate], at: now)
                }
                #expect(Set(accounts.map(\.uid)).count == 1)
                #expect(accounts.count(where: \.isNew) == 1)
            }
        }
    }

    @Test("20 people who are offered the same uids at two servers get different ones", arguments: Database.allCases)
    func sameCandidates(database: Database) async throws {
        // Each that is refused has lost to one that was not, so 20 stay within what is tried again.
        let candidates = (0..<20).map { "uid-\($0)" }
        try await database.withStores(2) { stores async throws in
            let accounts = try await all(20) { index in
                let identity = ExternalIdentity(provider: "yahoo.com", subject: "\(index)")
                return try await stores[index % 2].account(of: identity, candidates: candidates, at: now)
            }
            #expect(Set(accounts.map(\.uid)) == Set(candidates))
        }
    }

    @Test("A uid that is given and retired at once is nobody's afterwards", arguments: Database.allCases)
    func retireRace(database: Database) async throws {
        try await database.withStores(2) { stores async throws in
            for round in 0..<20 {
                let identity = ExternalIdentity(provider: "yahoo.com", subject: "\(round)")
                async let retired = stores[1].retire(uid: "\(round)", at: now)
                async let account = stores[0].account(of: identity, candidates: ["\(round)", "b\(round)"], at: now)
                let (existed, uid) = (try await retired, try await account.uid)
                #expect(existed == (uid == "\(round)"))
                let found = try await stores[0].account(of: identity, candidates: ["c\(round)"], at: now)
                #expect(found.uid == (existed ? "c\(round)" : "b\(round)"))
            }
        }
    }
}
