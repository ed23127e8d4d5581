import Fixtures
import JOSE
import Stores
import Testing

@Suite("Conformance of spending", .serialized)
struct SpendingConformance {
    @Test(
        "The first use succeeds, and every later one is reported as a replay of its kind", arguments: Database.allCases)
    func firstUse(database: Database) async throws {
        try await database.withStore { store async throws in
            for kind in SpentKind.allCases {
                let record = SpentRecord.baseline("a", kind)
                #expect(try await store.spend([record], at: now) == .first)
                #expect(try await store.spend([record], at: now) == .replayed(kind))
            }
            #expect(try await store.spend([.baseline("b")], at: now) == .first)
        }
    }

    @Test(
        "A record exists after it was spent, until it is given back, and reading adds nothing",
        arguments: Database.allCases)
    func isSpent(database: Database) async throws {
        try await database.withStore { store async throws in
            let record = SpentRecord.baseline("a", .event)
            #expect(try await !store.isSpent(record))
            #expect(try await store.spend([record], at: now) == .first)
            #expect(try await store.isSpent(record))
            #expect(try await !store.isSpent(.baseline("a", .idToken)))
            #expect(try await !store.isSpent(.baseline("b", .event)))
            try await store.giveBack([record])
            #expect(try await !store.isSpent(record))
        }
    }

    @Test(
        "SR-14: credentials that a collation, a number conversion or a terminator would make equal are different",
        arguments: Database.allCases)
    func spellings(database: Database) async throws {
        let spellings = [
            "abc", "ABC", " abc", "abc ", "abc\u{0}", "abc\u{0}d", "123", "00123", "1.23e2", "", "\u{E9}", "e\u{301}",
        ]
        try await database.withStore { store async throws in
            for spelling in spellings { #expect(try await store.spend([.baseline(spelling)], at: now) == .first) }
        }
    }

    @Test(
        "SR-02: a record with another expiry is a replay, and the first expiry is kept",
        arguments: Database.allCases)
    func otherExpiry(database: Database) async throws {
        try await database.withStore { store async throws in
            #expect(try await store.spend([.baseline("a")], at: now) == .first)
            let again = SpentRecord(
                .authorizationCode, of: [Array("a".utf8)], issuedAt: nil, expiresAt: later + .seconds(1))
            #expect(try await store.spend([again], at: now) == .replayed(.authorizationCode))
            #expect(try await store.sweep(expiredBefore: later + .seconds(1), atMost: 9) == 1)
        }
    }

    @Test("If the account cannot be looked up, no credential is spent", arguments: Database.lasting)
    func findingFails(database: Database) async throws {
        try await database.withLastingStore { store, run async throws in
            let cases = [[SpentRecord.baseline("a")], [.baseline("b", .idToken), .baseline("b", .nonce)]]
            try run("ALTER TABLE identities RENAME TO hidden")
            for records in cases {
                await #expect(throws: StoreError.self) {
                    try await store.spend(records, finding: .baseline, at: now)
                }
            }
            try run("ALTER TABLE hidden RENAME TO identities")
            for records in cases {
                #expect(try await store.spend(records, finding: .baseline, at: now).outcome == .first)
            }
        }
    }

    @Test("One operation spends a credential and finds the account of its identity", arguments: Database.allCases)
    func finding(database: Database) async throws {
        try await database.withStore { store async throws in
            for records in [[SpentRecord.baseline("a")], [.baseline("b", .idToken), .baseline("b", .nonce)]] {
                let unknown = try await store.spend(records, finding: .baseline, at: now)
                #expect(unknown.outcome == .first)
                #expect(unknown.known == nil)
            }
            try await store.enter(as: "one")
            for records in [[SpentRecord.baseline("c")], [.baseline("d", .idToken), .baseline("d", .nonce)]] {
                let first = try await store.spend(records, finding: .baseline, at: now)
                #expect(first.outcome == .first)
                #expect(
                    first.known?.answer(to: .baseline(), at: now)
                        == .signedIn(uid: "one", isNew: false, hasFactor: false))
                let again = try await store.spend(records, finding: .baseline, at: now)
                #expect(again.outcome == .replayed(records[0].kind))
                #expect(again.known == nil)
            }
            let expired = try await store.spend([.baseline("e")], finding: .baseline, at: later)
            #expect(expired.outcome == .expired(.authorizationCode))
        }
    }

    @Test("Spending no records traps")
    func nothing() async {
        await #expect(processExitsWith: .failure) {
            _ = try await Database.memory.withStore { try await $0.spend([], at: now) }
        }
    }

    @Test(
        "Several records are spent together or not at all, and the first used one is reported",
        arguments: Database.allCases)
    func allOrNone(database: Database) async throws {
        try await database.withStore { store async throws in
            #expect(try await store.spend([.baseline("used", .nonce)], at: now) == .first)
            #expect(try await store.spend([.baseline("used", .session)], at: now) == .first)
            let mixed: [SpentRecord] = [
                .baseline("new", .idToken), .baseline("used", .session), .baseline("used", .nonce),
                .baseline("new", .flow),
            ]
            #expect(try await store.spend(mixed, at: now) == .replayed(.session))
            #expect(try await store.spend(mixed.reversed(), at: now) == .replayed(.nonce))
            #expect(try await store.spend([.baseline("new", .idToken), .baseline("new", .flow)], at: now) == .first)
            for kind in [SpentKind.idToken, .flow] {
                #expect(try await store.spend([.baseline("new", kind)], at: now) == .replayed(kind))
            }
        }
    }

    @Test("A request that contains a record twice is a replay and spends nothing", arguments: Database.allCases)
    func twiceAtOnce(database: Database) async throws {
        try await database.withStore { store async throws in
            let record = SpentRecord.baseline("a")
            #expect(try await store.spend([record, record], at: now) == .replayed(.authorizationCode))
            #expect(try await store.spend([record], at: now) == .first)
        }
    }

    @Test(
        "CR-07: an expired record is refused, and a stored one counts until it is swept",
        arguments: Database.allCases)
    func expiry(database: Database) async throws {
        try await database.withStore { store async throws in
            let record = SpentRecord.baseline("a", .idToken)
            #expect(try await store.spend([.baseline("b"), record], at: later) == .expired(.authorizationCode))
            #expect(try await store.spend([record], at: later) == .expired(.idToken))
            #expect(try await store.spend([record], at: later - .seconds(1)) == .first)
            let again = SpentRecord(.idToken, of: [Array("a".utf8)], issuedAt: nil, expiresAt: later + .seconds(600))
            #expect(try await store.spend([again], at: later + .seconds(1)) == .replayed(.idToken))
            #expect(try await store.spend([again], at: now - .seconds(3600)) == .replayed(.idToken))
            #expect(try await store.sweep(expiredBefore: later, atMost: 9) == 0)
            #expect(try await store.sweep(expiredBefore: later + .seconds(1), atMost: 9) == 1)
            #expect(try await store.spend([again], at: later + .seconds(1)) == .first)
        }
    }

    @Test("Records that were given back can be used once more, and other records cannot", arguments: Database.allCases)
    func giveBack(database: Database) async throws {
        try await database.withStore { store async throws in
            let records: [SpentRecord] = [.baseline("a"), .baseline("b", .nonce)]
            #expect(try await store.spend(records + [.baseline("c")], at: now) == .first)
            try await store.giveBack([])
            try await store.giveBack(records + [.baseline("c", .session)])
            #expect(try await store.spend(records, at: now) == .first)
            #expect(try await store.spend(records, at: now) == .replayed(.authorizationCode))
            #expect(try await store.spend([.baseline("c")], at: now) == .replayed(.authorizationCode))
        }
    }

    @Test(
        "CR-06: while the clock is behind the last sweep, spending fails with clockBehind and not as a replay",
        arguments: Database.allCases)
    func sweptForGood(database: Database) async throws {
        try await database.withStore { store async throws in
            let used = SpentRecord(.idToken, of: [Array("used".utf8)], issuedAt: nil, expiresAt: now + .seconds(60))
            #expect(try await store.spend([used], at: now) == .first)
            #expect(try await store.sweep(expiredBefore: now + .seconds(61), atMost: 9) == 1)
            // A later sweep whose clock is behind changes nothing.
            #expect(try await store.sweep(expiredBefore: now, atMost: 9) == 0)
            #expect(try await store.watchReading().sweptThrough == now + .seconds(61))
            for records in [[used], [.baseline("new")], [.baseline("new"), used]] {
                await #expect(throws: StoreError.clockBehind) { try await store.spend(records, at: now + .seconds(59)) }
            }
            #expect(try await store.spend([used], at: now + .seconds(61)) == .expired(.idToken))
            #expect(try await store.spend([.baseline("new")], at: now + .seconds(61)) == .first)
        }
    }

    @Test("A sweep removes the oldest records first, as many as the limit allows", arguments: Database.allCases)
    func sweep(database: Database) async throws {
        try await database.withStore { store async throws in
            let records = (1...5).map {
                SpentRecord(.session, of: [[UInt8($0)]], issuedAt: nil, expiresAt: now + .seconds($0))
            }
            #expect(try await store.spend(records.reversed(), at: now) == .first)
            for (moment, limit, count) in [(1, 9, 0), (5, 0, 0), (5, -1, 0), (5, 3, 3)] {
                #expect(try await store.sweep(expiredBefore: now + .seconds(moment), atMost: limit) == count)
            }
            let fourth = SpentRecord(.session, of: [[4]], issuedAt: nil, expiresAt: now + .seconds(600))
            #expect(try await store.spend([fourth], at: now + .seconds(5)) == .replayed(.session))
            #expect(try await store.sweep(expiredBefore: now + .seconds(5), atMost: 9) == 1)
            #expect(try await store.sweep(expiredBefore: now + .seconds(9), atMost: 9) == 1)
        }
    }

    @Test(
        "SR-05: of 100 duplicates at two servers on one database exactly one is the first",
        arguments: Database.allCases)
    func twoServers(database: Database) async throws {
        try await database.withStores(2) { stores async throws in
            for round in 0..<3 {
                let record = SpentRecord.baseline("\(round)", .idToken)
                let outcomes = try await all(100) { try await stores[$0 % 2].spend([record], at: now) }
                #expect(outcomes.count { $0 == .first } == 1)
                #expect(outcomes.count { $0 == .replayed(.idToken) } == 99)
            }
        }
    }

    @Test(
        "Of 100 requests at two servers that share two records in either order one is the first, without a deadlock",
        arguments: Database.allCases)
    func sharedRecords(database: Database) async throws {
        try await database.withStores(2) { stores async throws in
            let shared: [SpentRecord] = [.baseline("shared", .idToken), .baseline("shared", .nonce)]
            let outcomes = try await all(100) { index in
                let records = index.isMultiple(of: 3) ? shared : shared.reversed()
                return try await stores[index % 2].spend(records + [.baseline("\(index)")], at: now)
            }
            #expect(outcomes.count { $0 == .first } == 1)
            #expect(outcomes.count { $0 == .replayed(.idToken) || $0 == .replayed(.nonce) } == 99)
            let firsts = try await all(100) { try await stores[0].spend([.baseline("\($0)")], at: now) == .first }
            #expect(firsts.count { $0 } == 99, "The losers left nothing.")
        }
    }

    @Test("A store that responds is healthy, also with concurrent checks", arguments: Database.allCases)
    func health(database: Database) async throws {
        try await database.withStores(2) { stores async throws in
            _ = try await all(20) { try await stores[$0 % 2].check() }
        }
    }
}
