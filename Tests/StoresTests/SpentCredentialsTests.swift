import JOSE
import Stores
import Testing

@Suite("Spent credentials")
struct SpentCredentialsTests {
    @Test(
        "The first use is the first, and every later one is a replay of its kind",
        arguments: Backend.allCases)
    func firstUse(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            for kind in SpentKind.allCases {
                let record = SpentRecord.baseline("a", kind)
                #expect(try await store.spend([record], at: now) == .first)
                #expect(try await store.spend([record], at: now) == .replayed(kind))
                #expect(try await store.spend([record], at: now) == .replayed(kind))
            }
        }
    }

    @Test("Another part is another credential", arguments: Backend.allCases)
    func otherParts(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            #expect(try await store.spend([.baseline("a")], at: now) == .first)
            #expect(try await store.spend([.baseline("b")], at: now) == .first)
        }
    }

    @Test(
        "SR-14: credentials that a collation, a number or a terminator would make equal are different",
        arguments: Backend.allCases)
    func spellings(backend: Backend) async throws {
        let spellings = [
            "abc", "ABC", " abc", "abc ", "abc\u{0}", "abc\u{0}d", "123", "00123", "1.23e2", "", "\u{E9}",
            "e\u{301}",
        ]
        try await backend.withStore { store async throws in
            for spelling in spellings {
                #expect(try await store.spend([.baseline(spelling)], at: now) == .first)
            }
        }
    }

    @Test(
        "SR-02: a record that comes again with another expiry is a replay", arguments: Backend.allCases)
    func otherExpiry(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            #expect(try await store.spend([.baseline("a")], at: now) == .first)
            let again = SpentRecord(
                .authorizationCode, of: [Array("a".utf8)], expiresAt: later + .seconds(1))
            #expect(try await store.spend([again], at: now) == .replayed(.authorizationCode))
            #expect(
                try await store.sweep(expiredBefore: later + .seconds(1), atMost: 9) == 1,
                "The first is kept.")
        }
    }

    @Test("Several records are added together or not at all", arguments: Backend.allCases)
    func allOrNone(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            #expect(try await store.spend([.baseline("used", .nonce)], at: now) == .first)
            let mixed: [SpentRecord] = [
                .baseline("new", .idToken), .baseline("used", .nonce), .baseline("new", .session),
            ]
            #expect(try await store.spend(mixed, at: now) == .replayed(.nonce))
            #expect(try await store.spend([.baseline("new", .idToken)], at: now) == .first)
            #expect(try await store.spend([.baseline("new", .session)], at: now) == .first)
        }
    }

    @Test("Several new records are all used afterwards", arguments: Backend.allCases)
    func several(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            let records: [SpentRecord] = [.baseline("a", .idToken), .baseline("a", .nonce)]
            #expect(try await store.spend(records, at: now) == .first)
            for record in records {
                #expect(try await store.spend([record], at: now) == .replayed(record.kind))
            }
        }
    }

    @Test(
        "One record twice in one request is a replay and leaves nothing", arguments: Backend.allCases)
    func twiceAtOnce(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            let record = SpentRecord.baseline("a")
            #expect(try await store.spend([record, record], at: now) == .replayed(.authorizationCode))
            #expect(try await store.spend([record], at: now) == .first)
        }
    }

    @Test("What was given back can be used once more", arguments: Backend.allCases)
    func giveBack(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            let records: [SpentRecord] = [.baseline("a"), .baseline("b")]
            #expect(try await store.spend(records + [.baseline("c")], at: now) == .first)
            try await store.giveBack(records)
            #expect(try await store.spend(records, at: now) == .first)
            #expect(try await store.spend(records, at: now) == .replayed(.authorizationCode))
            #expect(try await store.spend([.baseline("c")], at: now) == .replayed(.authorizationCode))
        }
    }

    @Test("Giving back what was never used, or nothing, changes nothing", arguments: Backend.allCases)
    func giveBackUnknown(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            #expect(try await store.spend([.baseline("a", .nonce)], at: now) == .first)
            try await store.giveBack([.baseline("a", .session)])
            try await store.giveBack([])
            #expect(try await store.spend([.baseline("a", .nonce)], at: now) == .replayed(.nonce))
        }
    }

    @Test("A record that could be forgotten at once is not taken", arguments: Backend.allCases)
    func expired(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            let record = SpentRecord.baseline("a", .idToken)
            #expect(
                try await store.spend([.baseline("b"), record], at: later) == .expired(.authorizationCode))
            #expect(try await store.spend([record], at: later) == .expired(.idToken))
            #expect(try await store.spend([record], at: later - .seconds(1)) == .first)
        }
    }

    @Test(
        "CR-07: an expired record that is not swept yet still counts, and so it does when the clock steps back",
        arguments: Backend.allCases)
    func expiredButThere(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            #expect(try await store.spend([.baseline("a")], at: now) == .first)
            let again = SpentRecord(
                .authorizationCode, of: [Array("a".utf8)], expiresAt: later + .seconds(600))
            #expect(
                try await store.spend([again], at: later + .seconds(1)) == .replayed(.authorizationCode))
            #expect(
                try await store.spend([again], at: now - .seconds(3600)) == .replayed(.authorizationCode))
        }
    }

    @Test(
        "A sweep forgets the oldest of the expired first, as many as it is told",
        arguments: Backend.allCases)
    func sweep(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            let records = (1...5).map { second in
                SpentRecord(.session, of: [[UInt8(second)]], expiresAt: now + .seconds(second))
            }
            for record in records.reversed() {
                #expect(try await store.spend([record], at: now) == .first)
            }
            #expect(try await store.sweep(expiredBefore: now + .seconds(1), atMost: 9) == 0)
            #expect(try await store.sweep(expiredBefore: now + .seconds(5), atMost: 0) == 0)
            #expect(try await store.sweep(expiredBefore: now + .seconds(5), atMost: -1) == 0)
            #expect(try await store.sweep(expiredBefore: now + .seconds(5), atMost: 3) == 3)
            #expect(try await store.spend([records[3]], at: now) == .replayed(.session))
            #expect(try await store.spend([records[0]], at: now) == .first)
            #expect(try await store.sweep(expiredBefore: now + .seconds(5), atMost: 9) == 2)
            #expect(try await store.sweep(expiredBefore: now + .seconds(9), atMost: 9) == 1)
        }
    }

    @Test("The first use of nothing is our own contradiction")
    func nothing() async {
        await #expect(processExitsWith: .failure) {
            _ = try await Backend.sqliteMemory.withStore { try await $0.spend([], at: now) }
        }
    }

    @Test("A store that answers is healthy", arguments: Backend.allCases)
    func health(backend: Backend) async throws {
        try await backend.withStore { store async throws in
            try await store.check()
            try await store.check()
        }
    }
}
