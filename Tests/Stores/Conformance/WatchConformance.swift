import Fixtures
import JOSE
import Stores
import Testing

@Suite("Conformance of watched time", .serialized)
struct WatchConformance {
    private static func watching(at moment: NumericDate, anew: Bool = false) -> Watching {
        Watching(TimeSource { moment }, isAnew: anew)
    }

    private static let end = now + .seconds(3600)

    /// An ID token that was issued `seconds` after `now`.
    ///
    /// Its record expires a second after ``end``.
    private static func token(_ text: String, issuedAfter seconds: Int64) -> SpentRecord {
        SpentRecord(.idToken, of: [Array(text.utf8)], issuedAt: now + .seconds(seconds), expiresAt: end + .seconds(1))
    }

    /// Whether tokens that were issued these numbers of seconds after `now`, and never used, are accepted.
    private static func areTaken(_ seconds: [Int64], by store: any Store, _ name: String) async throws -> [Bool] {
        var taken: [Bool] = []
        for second in seconds {
            let outcome = try await store.spend([token("\(name) \(second)", issuedAfter: second)], at: end)
            taken.append(outcome == .first)
            #expect(outcome == .first || outcome == .unwatched(.idToken))
        }
        return taken
    }

    @Test("SR-20: a token that was issued before the first start is refused", arguments: Database.watched)
    func firstStart(database: Database) async throws {
        try await database.withOpening { open async throws in
            let (store, close) = try open(Self.watching(at: now))
            let taken = try await Self.areTaken([-86400, -1, 0, 1, 100], by: store, "a")
            // The second of the start counts as unwatched.
            #expect(taken == [false, false, false, true, true])
            // A code has no time of issue, so the store accepts it. The provider refuses a second use.
            #expect(try await store.spend([.baseline("code")], at: now) == .first)
            try close()
        }
    }

    @Test(
        "SR-20: a store that no process watches refuses every record with a time of issue", arguments: Database.watched)
    func unwatchedStore(database: Database) async throws {
        try await database.withOpening { open async throws in
            let (store, close) = try open(nil)
            #expect(try await Self.areTaken([-86400, 0, 400], by: store, "a") == [false, false, false])
            try close()
        }
    }

    @Test(
        "A record that is refused for its age is not stored, and the others of its request are not spent",
        arguments: Database.watched)
    func leavesNothing(database: Database) async throws {
        try await database.withOpening { open async throws in
            let (store, close) = try open(Self.watching(at: now))
            let records: [SpentRecord] = [.baseline("n", .nonce), Self.token("t", issuedAfter: 0)]
            #expect(try await store.spend(records, at: now) == .unwatched(.idToken))
            #expect(try await store.spend(records.reversed(), at: now) == .unwatched(.idToken))
            #expect(try await store.spend([records[0]], at: now) == .first)
            #expect(try await store.spend([records[1]], at: now) == .unwatched(.idToken))
            try close()
        }
    }

    @Test(
        "SR-20: a token is refused if it was issued in an unwatched period of more than 10 seconds",
        arguments: Database.lasting, [10, 11] as [Int64])
    func gap(database: Database, seconds: Int64) async throws {
        try await database.withOpening { open async throws in
            let (store, close) = try open(Self.watching(at: now))
            try await store.watch(at: now + .seconds(10))
            #expect(try await store.spend([Self.token("used", issuedAfter: 9)], at: now + .seconds(10)) == .first)
            try await store.watch(at: now + .seconds(10 + seconds))
            let taken = try await Self.areTaken([8, 10, 9 + seconds, 10 + seconds, 400], by: store, "a")
            #expect(taken == (seconds > 10 ? [true, false, false, true, true] : [true, true, true, true, true]))
            // A recorded use is reported as replayed.
            #expect(
                try await store.spend([Self.token("used", issuedAfter: 9)], at: now + .seconds(30))
                    == .replayed(.idToken))
            try close()
        }
    }

    @Test(
        "A recorded use is a replay, even if its token was issued in an unwatched period", arguments: Database.lasting)
    func replayFirst(database: Database) async throws {
        try await database.withOpening { open async throws in
            let (store, close) = try open(Self.watching(at: now))
            let token = Self.token("used", issuedAfter: 11)
            #expect(try await store.spend([token], at: now + .seconds(11)) == .first)
            try await store.watch(at: now + .seconds(10))
            try await store.watch(at: now + .seconds(60))
            #expect(try await store.spend([token], at: now + .seconds(60)) == .replayed(.idToken))
            #expect(
                try await store.spend([Self.token("other", issuedAfter: 11)], at: now + .seconds(60))
                    == .unwatched(.idToken))
            try close()
        }
    }

    @Test("A start within 10 seconds of the last renewal refuses nothing", arguments: Database.lasting)
    func freshRecord(database: Database) async throws {
        try await database.withOpening { open async throws in
            let (first, close) = try open(Self.watching(at: now))
            try await first.watch(at: now + .seconds(5))
            // Another server starts while the first one runs.
            let (second, closeSecond) = try open(Self.watching(at: now + .seconds(15)))
            #expect(try await Self.areTaken([2, 5, 10, 14], by: second, "a") == [true, true, true, true])
            try close()
            try closeSecond()
        }
    }

    @Test("SR-20: after a clean stop exactly the tokens of the stopped time are refused", arguments: Database.lasting)
    func cleanStop(database: Database) async throws {
        try await database.withOpening { open async throws in
            let (first, close) = try open(Self.watching(at: now))
            try await first.watch(at: now + .seconds(10))
            try close()
            let (second, closeSecond) = try open(Self.watching(at: now + .seconds(300)))
            let taken = try await Self.areTaken([0, 1, 9, 10, 299, 300], by: second, "a")
            #expect(taken == [false, true, true, false, false, true])
            try closeSecond()
        }
    }

    @Test("An operator that opens the store does not change its watched time", arguments: Database.lasting)
    func operators(database: Database) async throws {
        try await database.withOpening { open async throws in
            let (first, close) = try open(Self.watching(at: now))
            let before = try await first.watchReading()
            let (looking, closeLooking) = try open(nil)
            #expect(try await looking.account(uid: "nobody") == nil)
            try closeLooking()
            try close()
            let (again, closeAgain) = try open(nil)
            try await again.enter(as: "uid")
            let after = try await again.watchReading()
            #expect(after.watchedUntil == before.watchedUntil && after.unwatchedUntil == before.unwatchedUntil)
            try closeAgain()
            let (second, closeSecond) = try open(Self.watching(at: now + .seconds(5)))
            // SQLite knows the stopped time exactly; with PostgreSQL another server may have watched.
            let isExact = database == .sqlite
            #expect(try await Self.areTaken([0, 4, 5], by: second, "a") == [false, !isExact, true])
            try closeSecond()
        }
    }

    @Test("SR-21: with a clock that is behind, every way to spend is refused", arguments: Database.allCases)
    func clockBehind(database: Database) async throws {
        try await database.withStore { store async throws in
            try await store.watch(at: now + .seconds(100))
            try await store.keep(Handoff.baseline("code"))
            #expect(try await store.spend([.baseline("a")], at: now + .seconds(40)) == .first)
            let tooEarly = now + .seconds(39)
            await #expect(throws: StoreError.clockBehind) { try await store.spend([.baseline("b")], at: tooEarly) }
            // A used record is not reported as a replay either, since the clock of another server may be the wrong one.
            await #expect(throws: StoreError.clockBehind) { try await store.spend([.baseline("a")], at: tooEarly) }
            await #expect(throws: StoreError.clockBehind) {
                try await store.redeem(.baseline("code"), at: tooEarly)
            }
            let reading = try await store.watchReading()
            #expect(reading.isBehind(tooEarly) && !reading.isBehind(now + .seconds(40)))
            // The handoff is still stored.
            guard case .redeemed = try await store.redeem(.baseline("code"), at: now + .seconds(40)) else {
                Issue.record("It was taken by a refusal.")
                return
            }
        }
    }

    @Test("The watched time never goes back, unless the operator resets it", arguments: Database.lasting)
    func anew(database: Database) async throws {
        try await database.withOpening { open async throws in
            let (first, close) = try open(Self.watching(at: now))
            try await first.watch(at: now + .seconds(86400))
            try await first.watch(at: now + .seconds(50))
            #expect(try await first.watchReading().watchedUntil == now + .seconds(86400))
            #expect(try await first.sweep(expiredBefore: now + .seconds(80000), atMost: 1) == 0)
            try close()
            let (second, closeSecond) = try open(Self.watching(at: now + .seconds(60)))
            await #expect(throws: StoreError.clockBehind) {
                try await second.spend([.baseline("a")], at: now + .seconds(60))
            }
            try closeSecond()
            let (third, closeThird) = try open(Self.watching(at: now + .seconds(70), anew: true))
            #expect(try await third.watchReading().watchedUntil == now + .seconds(70))
            #expect(try await third.spend([.baseline("a")], at: now + .seconds(70)) == .first)
            #expect(try await Self.areTaken([1, 70, 71], by: third, "a") == [false, false, true])
            try closeThird()
        }
    }

    @Test(
        "If there are too many unwatched periods, the older ones are joined with all time before them",
        arguments: Database.lasting)
    func joined(database: Database) async throws {
        try await database.withOpening { open async throws in
            let (store, close) = try open(Self.watching(at: now))
            let count = Int64(UnwatchedTime.periodLimit) + 2
            // 10 of every 30 seconds are watched.
            for index in 1...count {
                try await store.watch(at: now + .seconds(index * 30))
                try await store.watch(at: now + .seconds(index * 30 + 10))
                guard index == 4 else { continue }
                let taken = try await Self.areTaken([29, 30, 39, 40, 60, 90], by: store, "early")
                #expect(taken == [false, true, true, false, true, true])
            }
            let last = count * 30
            let taken = try await Self.areTaken([30, 39, 60, 69, 90, 99, last - 1, last], by: store, "late")
            #expect(taken == [false, false, false, false, true, true, false, true])
            try close()
        }
    }

    @Test("A token that a first start refuses is still refused after a stop of one second", arguments: Database.lasting)
    func stopAfterFirstStart(database: Database) async throws {
        try await database.withOpening { open async throws in
            let (_, close) = try open(Self.watching(at: now))
            try close()
            // The unwatched period of this stop ends in the same second as the one of the first start.
            let (second, closeSecond) = try open(Self.watching(at: now + .seconds(1)))
            #expect(try await Self.areTaken([-86400, -1, 0, 1], by: second, "a") == [false, false, false, true])
            try closeSecond()
        }
    }

    @Test(
        "A clock that jumped years ahead and came back stops nothing, and uses meanwhile are refused",
        arguments: Database.lasting)
    func jump(database: Database) async throws {
        try await database.withOpening { open async throws in
            let (store, close) = try open(Self.watching(at: now))
            try await store.watch(at: now)
            let before = try await store.watchReading()
            let jumped = now + .seconds(400_000_000)
            try await store.watch(at: jumped)
            let record = SpentRecord(.authorizationCode, of: [[1]], issuedAt: nil, expiresAt: jumped + .seconds(60))
            for records in [[record], [record, .baseline("b", .nonce)]] {
                await #expect(throws: StoreError.clockBehind) { try await store.spend([record], at: jumped) }
                await #expect(throws: StoreError.clockBehind) {
                    _ = try await store.spend(
                        records, finding: .baseline, at: jumped)
                }
            }
            // It is not in doubt any more as soon as it is right.
            #expect(try await store.spend([record], at: now + .seconds(1)) == .first)
            let during = try await store.watchReading()
            #expect(during.watchedUntil <= now + .seconds(9) && during.unwatchedUntil == before.unwatchedUntil)
            try await store.watch(at: now + .seconds(9))
            #expect(try await store.spend([.baseline("a")], at: now + .seconds(9)) == .first)
            #expect(try await Self.areTaken([0, 1, 5], by: store, "b") == [false, true, true])
            try close()
        }
    }
}
