internal import Foundation
internal import GRDB
package import JOSE
package import Stores

extension SQLiteStore: SpentCredentials {
    package func spend(_ records: [SpentRecord], at now: NumericDate) async throws(StoreError) -> SpendOutcome {
        try await spend(records, at: now) { _ in }.outcome
    }

    package func spend(
        _ records: [SpentRecord], finding identity: ExternalIdentity, at now: NumericDate
    ) async throws(StoreError) -> (outcome: SpendOutcome, known: KnownIdentity?) {
        let (outcome, known) = try await spend(records, at: now) { try AccountTables.known(identity, $0) }
        return (outcome, known ?? nil)
    }

    // `found` runs in the same transaction. It runs first, so that nothing is spent if it fails, without a savepoint.
    private func spend<Found: Sendable>(
        _ records: [SpentRecord], at now: NumericDate, _ found: @escaping @Sendable (Database) throws -> Found
    ) async throws(StoreError) -> (outcome: SpendOutcome, found: Found?) {
        precondition(!records.isEmpty, "At least one record must be spent.")
        // If the jump is real, commits may be missing, and the unwatched time is not recorded yet.
        guard !clock.isInDoubt(at: now) else { throw .clockBehind }
        // The sweep could delete the record before the response is sent.
        if let late = records.first(where: { $0.expiresAt <= now }) { return (.expired(late.kind), nil) }
        return try await writes.write(isOneStatement: records.count == 1) { db in
            let known = try found(db)
            for record in records {
                if let refusal = try Self.spend(record, at: now, db) {
                    return .undo((refusal.outcome(record.kind), nil))
                }
            }
            return .keep((.first, known))
        }
    }

    /// Spends a record that does not exist and cannot have been lost.
    ///
    /// One statement both decides and writes, so that only one of several callers is the first.
    ///
    /// - Returns: `nil` after the first use. Otherwise nothing was written, and the result is the reason.
    /// - Throws: ``StoreError/clockBehind``.
    static func spend(_ record: SpentRecord, at now: NumericDate, _ db: Database) throws -> SpendRefusal? {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO spent (kind, digest, expires_at)
                SELECT ?1, ?2, ?3 WHERE ?4 >= (SELECT max(watch.until - ?5, swept.through) FROM watch, swept)
                    AND NOT EXISTS (SELECT 1 FROM unwatched WHERE since <= ?6 AND until > ?6)
                ON CONFLICT DO NOTHING
                """)
        try statement.execute(arguments: [
            record.kind.rawValue, Data(record.digest), record.expiresAt.seconds, now.seconds,
            UnwatchedTime.clockTolerance.components.seconds, record.issuedAt?.seconds,
        ])
        return db.changesCount == 1 ? nil : try refusal(of: record, at: now, db)
    }

    private static func refusal(of record: SpentRecord, at now: NumericDate, _ db: Database) throws -> SpendRefusal {
        guard try !WatchTables.reading(db).isBehind(now) else { throw StoreError.clockBehind }
        // The statement wrote nothing, and no other write can have happened in between. If there is no record, the
        // unwatched period was the reason.
        return try isSpent(record, db) ? .used : .unwatched
    }

    package func giveBack(_ records: [SpentRecord]) async throws(StoreError) {
        try await writes.write { db in
            for record in records { try Self.forget(record, db) }
            return .keep(())
        }
    }

    static func forget(_ record: SpentRecord, _ db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM spent WHERE kind = ? AND digest = ?")
            .execute(arguments: [record.kind.rawValue, Data(record.digest)])
    }

    static func isSpent(_ record: SpentRecord, _ db: Database) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM spent WHERE kind = ? AND digest = ?)"),
            arguments: [record.kind.rawValue, Data(record.digest)]) ?? false
    }

    package func sweep(expiredBefore moment: NumericDate, atMost limit: Int) async throws(StoreError)
        -> Int
    {
        try await writes.write { db in
            try db.cachedStatement(sql: "UPDATE swept SET through = max(through, ?)")
                .execute(arguments: [moment.seconds])
            let statement = try db.cachedStatement(
                sql: """
                    DELETE FROM spent WHERE id IN (
                        SELECT id FROM spent WHERE expires_at < ? ORDER BY expires_at LIMIT ?)
                    """)
            // A negative LIMIT means no limit in SQLite.
            try statement.execute(arguments: [moment.seconds, max(0, limit)])
            return .keep(db.changesCount)
        }
    }
}
