import JOSE
import Stores
import Testing

@Suite("Account directory")
struct AccountDirectoryTests {
    @Test("A new identity gets the first candidate, and keeps it", arguments: Backend.allCases)
    func newAndKnown(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            #expect(
                try await store.account(of: .baseline, candidates: ["one", "two"], at: now)
                    == StoredAccount(uid: "one", isNew: true, createdAt: now))
            #expect(
                try await store.account(of: .baseline, candidates: ["three"], at: later)
                    == StoredAccount(uid: "one", isNew: false, createdAt: now))
            #expect(try await store.account(of: .baseline, candidates: [], at: later).uid == "one")
        }
    }

    @Test("A uid is never given to two people", arguments: Backend.allCases)
    func takenCandidate(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            _ = try await store.account(of: .baseline, candidates: ["one"], at: now)
            let other = ExternalIdentity(provider: "yahoo.com", subject: "OTHER")
            #expect(try await store.account(of: other, candidates: ["one", "two"], at: now).uid == "two")
            #expect(try await store.account(of: .baseline, candidates: [], at: now).uid == "one")
        }
    }

    @Test("Where no candidate is free, nobody gets an account", arguments: Backend.allCases)
    func exhausted(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            _ = try await store.account(of: .baseline, candidates: ["one"], at: now)
            let other = ExternalIdentity(provider: "yahoo.com", subject: "OTHER")
            for candidates in [["one"], ["one", "one"], []] {
                await #expect(throws: StoreError.noFreeUID) {
                    try await store.account(of: other, candidates: candidates, at: now)
                }
            }
            #expect(try await store.account(of: other, candidates: ["two"], at: now).isNew)
        }
    }

    @Test("The same subject at another provider is somebody else", arguments: Backend.allCases)
    func otherProvider(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            _ = try await store.account(of: .baseline, candidates: ["one"], at: now)
            let other = ExternalIdentity(
                provider: "twitter.com", subject: ExternalIdentity.baseline.subject)
            #expect(try await store.account(of: other, candidates: ["two"], at: now).uid == "two")
        }
    }

    @Test(
        "MT-04: subjects that differ in letter case, normal form, white space, or behind a NUL are different people",
        arguments: Backend.allCases)
    func similarSubjects(backend: Backend) async throws {
        let subjects = [
            "é", "e\u{301}", "É", "K", "\u{212A}", "k", "a", " a", "a ", "a\u{0}", "a\u{0}b", "\u{FEFF}a",
            "1", "01",
            "1.0",
            "1e0", "ß", "ss", "ﬁ", "fi",
        ]
        try await backend.withStore { store async throws in
            for (index, subject) in subjects.enumerated() {
                let identity = ExternalIdentity(provider: "yahoo.com", subject: subject)
                #expect(try await store.account(of: identity, candidates: ["\(index)"], at: now).isNew)
            }
            for (index, subject) in subjects.enumerated() {
                let identity = ExternalIdentity(provider: "yahoo.com", subject: subject)
                #expect(try await store.account(of: identity, candidates: [], at: now).uid == "\(index)")
            }
        }
    }

    @Test("Subject and provider do not run into each other", arguments: Backend.allCases)
    func borders(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            let one = ExternalIdentity(provider: "a", subject: "bc")
            let other = ExternalIdentity(provider: "ab", subject: "c")
            #expect(try await store.account(of: one, candidates: ["one"], at: now).isNew)
            #expect(try await store.account(of: other, candidates: ["two"], at: now).isNew)
        }
    }

    @Test("Uids are compared byte by byte and come back as they were", arguments: Backend.allCases)
    func uids(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            for (index, uid) in ["é", "e\u{301}", "a", "A", "a "].enumerated() {
                let identity = ExternalIdentity(provider: "yahoo.com", subject: "\(index)")
                let account = try await store.account(of: identity, candidates: [uid], at: now)
                #expect(Array(account.uid.utf8) == Array(uid.utf8))
                let known = try await store.account(of: identity, candidates: [], at: now)
                #expect(Array(known.uid.utf8) == Array(uid.utf8))
            }
        }
    }

    @Test(
        "A retired uid is never given again, and its person begins anew", arguments: Backend.allCases)
    func retired(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            _ = try await store.account(of: .baseline, candidates: ["one"], at: now)
            #expect(try await store.retire(uid: "one", at: now))
            #expect(try await !store.retire(uid: "one", at: later))
            await #expect(throws: StoreError.noFreeUID) {
                try await store.account(of: .baseline, candidates: ["one"], at: later)
            }
            #expect(
                try await store.account(of: .baseline, candidates: ["one", "two"], at: later)
                    == StoredAccount(uid: "two", isNew: true, createdAt: later))
        }
    }

    @Test("A uid can be retired before anybody had it", arguments: Backend.allCases)
    func retiredInAdvance(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            #expect(try await !store.retire(uid: "one", at: now))
            await #expect(throws: StoreError.noFreeUID) {
                try await store.account(of: .baseline, candidates: ["one"], at: now)
            }
        }
    }

    @Test("Retiring one account touches no other", arguments: Backend.allCases)
    func retiredAlone(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            let other = ExternalIdentity(provider: "yahoo.com", subject: "OTHER")
            _ = try await store.account(of: .baseline, candidates: ["one"], at: now)
            _ = try await store.account(of: other, candidates: ["two"], at: now)
            #expect(try await store.retire(uid: "one", at: now))
            #expect(try await store.account(of: other, candidates: [], at: now).uid == "two")
        }
    }

    @Test("Without provider, subject or uid there is no account", arguments: Backend.allCases)
    func empty(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            for (provider, subject, uid) in [("", "s", "u"), ("p", "", "u"), ("p", "s", "")] {
                await #expect(throws: StoreError.unavailable(.other)) {
                    let identity = ExternalIdentity(provider: provider, subject: subject)
                    return try await store.account(of: identity, candidates: [uid], at: now)
                }
            }
            #expect(try await store.account(of: .baseline, candidates: ["u"], at: now).uid == "u")
        }
    }
}
