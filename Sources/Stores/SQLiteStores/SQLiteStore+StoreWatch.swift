internal import GRDB
package import JOSE
package import Stores

extension SQLiteStore: StoreWatch {
    package func watch(at now: NumericDate) async throws(StoreError) {
        let (time, isUnbroken) = clock.renew(at: now)
        try await writes.write { db in
            try WatchTables.renew(at: time, isUnbroken ? .unbroken : .shared, isAnew: false, db)
            return .keep(())
        }
    }

    package func watchReading() async throws(StoreError) -> WatchReading {
        try await writes.read { try WatchTables.reading($0) }
    }

    package func warnings() async throws(StoreError) -> [StoreWarning] { [] }
}

/// The tables with the watched and unwatched times.
enum WatchTables {
    static func reading(_ db: Database) throws -> WatchReading {
        guard
            let row = try Row.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT watch.until, (SELECT coalesce(max(until), 0) FROM unwatched), swept.through
                        FROM watch, swept
                        """)),
            let until = Int64.fromDatabaseValue(row[0]), let end = Int64.fromDatabaseValue(row[1]),
            let through = Int64.fromDatabaseValue(row[2])
        else { throw StoreError.corrupt }
        return WatchReading(
            watchedUntil: NumericDate(until), unwatchedUntil: NumericDate(end), sweptThrough: NumericDate(through),
            clock: nil)
    }

    /// Records that the store watches now, and the period before now that it did not watch.
    ///
    /// - Parameters:
    ///   - now: The caller's clock.
    ///   - continuity: The knowledge about the time since the last record.
    ///   - isAnew: Whether to discard an earlier record, even one in the future.
    ///   - db: The connection, within a transaction.
    /// - Throws: The error of SQLite, or ``StoreError/corrupt``.
    static func renew(at now: NumericDate, _ continuity: WatchContinuity, isAnew: Bool, _ db: Database) throws {
        let recorded = isAnew ? NumericDate(0) : try reading(db).watchedUntil
        let newest = max(now, recorded)
        let time = UnwatchedTime.between(recorded, and: now, continuity)
        let end = (time?.end(at: newest) ?? newest).seconds
        switch time {
        case nil: break
        case .since(let start): try add(since: start.seconds, until: end, db)
        case .everythingBefore:
            try db.execute(sql: "DELETE FROM unwatched")
            try add(since: .min, until: end, db)
            // A lost commit may have redeemed these rows. A row in an older copy does not prove that its code is unused.
            try db.execute(sql: "DELETE FROM handoffs")
            try db.execute(sql: "DELETE FROM pending_credentials")
            try db.execute(sql: "DELETE FROM device_grants WHERE state NOT IN ('pending', 'claimed')")
        }
        if recorded.seconds == 0 {
            // Sweeps advance in limited steps from this time.
            try db.execute(
                sql: isAnew ? "UPDATE swept SET through = ?" : "UPDATE swept SET through = max(through, ?)",
                arguments: [(now - .seconds(3600)).seconds])
        }
        try db.execute(sql: "UPDATE watch SET until = ?", arguments: [newest.seconds])
    }

    private static func add(since start: Int64, until end: Int64, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO unwatched (since, until) VALUES (?, ?)
                ON CONFLICT (until) DO UPDATE SET since = min(since, excluded.since)
                """, arguments: [start, end])
        let oldest = try Int64.fetchOne(
            db, sql: "SELECT until FROM unwatched ORDER BY until DESC LIMIT 1 OFFSET ?",
            arguments: [UnwatchedTime.periodLimit - 1])
        guard let oldest else { return }
        try db.execute(sql: "DELETE FROM unwatched WHERE until < ?", arguments: [oldest])
        try db.execute(sql: "UPDATE unwatched SET since = ? WHERE until = ?", arguments: [Int64.min, oldest])
    }
}
