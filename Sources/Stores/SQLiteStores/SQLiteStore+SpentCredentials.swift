internal import Foundation
internal import GRDB
package import JOSE
package import Stores

extension SQLiteStore: SpentCredentials {
    package func spend(_ records: [SpentRecord], at now: NumericDate) async throws(StoreError)
        -> SpendOutcome
    {
        precondition(!records.isEmpty, "The first use of nothing proves nothing.")
        // The sweep could take it before the answer is out.
        if let late = records.first(where: { $0.expiresAt <= now }) { return .expired(late.kind) }
        return try await writes.write(isOneStatement: records.count == 1) { db in
            guard let used = try records.first(where: { try !Self.spend($0, db) }) else {
                return .keep(.first)
            }
            return .undo(.replayed(used.kind))
        }
    }

    /// Whether the record was not there before, and cannot have been: this one statement decides it.
    static func spend(_ record: SpentRecord, _ db: Database) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO spent (kind, digest, expires_at)
                SELECT ?1, ?2, ?3 WHERE ?3 >= (SELECT through FROM swept) ON CONFLICT DO NOTHING
                """)
        try statement.execute(arguments: [
            record.kind.rawValue, Data(record.digest), record.expiresAt.seconds,
        ])
        return db.changesCount == 1
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
            // SQLite takes a negative limit for none.
            try statement.execute(arguments: [moment.seconds, max(0, limit)])
            return .keep(db.changesCount)
        }
    }

    package func sweptThrough() async throws(StoreError) -> NumericDate {
        try await writes.read { db in
            NumericDate(try Int64.fetchOne(db.cachedStatement(sql: "SELECT through FROM swept")) ?? 0)
        }
    }
}
