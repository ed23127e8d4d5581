package import JOSE
internal import Postgres
package import Stores

extension PostgresStore: SpentCredentials {
    package func spend(_ records: [SpentRecord], at now: NumericDate) async throws(StoreError) -> SpendOutcome {
        precondition(!records.isEmpty, "The first use of nothing proves nothing.")
        // The sweep could take it before the answer is out.
        if let late = records.first(where: { $0.expiresAt <= now }) { return .expired(late.kind) }
        if records.count == 1, let record = records.first {
            // One statement is a transaction of its own, and spares two passages.
            return try await perform { try Self.spend(record, &$0) ? .first : .replayed(record.kind) }
        }
        return try await transaction { connection in
            var used = Set<Int>()
            // Each of these waits for whoever has the same record under way: all in one order, so that no two wait for
            // each other.
            for index in records.indices.sorted(by: { records[$0].precedes(records[$1]) })
            where try !Self.spend(records[index], &connection) {
                used.insert(index)
            }
            guard let index = used.min() else { return .keep(.first) }
            return .undo(.replayed(records[index].kind))
        }
    }

    /// Whether the record was not there before, and cannot have been: this one statement decides it.
    static func spend(_ record: SpentRecord, _ connection: inout Connection) throws -> Bool {
        try connection.run(
            .writing(
                """
                INSERT INTO spent (kind, digest, expires_at)
                SELECT $1::text, $2::bytea, $3::bigint WHERE $3::bigint >= (SELECT through FROM swept)
                ON CONFLICT DO NOTHING
                """),
            [.text(record.kind.rawValue), .bytes(record.digest), .integer(record.expiresAt.seconds)]
        ).count == 1
    }

    package func giveBack(_ records: [SpentRecord]) async throws(StoreError) {
        guard !records.isEmpty else { return }
        try await transaction { connection in
            for record in records.sorted(by: { $0.precedes($1) }) { try Self.forget(record, &connection) }
            return .keep(())
        }
    }

    static func forget(_ record: SpentRecord, _ connection: inout Connection) throws {
        try connection.run(
            .writing("DELETE FROM spent WHERE kind = $1 AND digest = $2"),
            [.text(record.kind.rawValue), .bytes(record.digest)])
    }

    static func isSpent(_ record: SpentRecord, _ connection: inout Connection) throws -> Bool {
        try connection.run(
            .reading("SELECT expires_at FROM spent WHERE kind = $1 AND digest = $2"),
            [.text(record.kind.rawValue), .bytes(record.digest)]
        ).count == 1
    }

    package func sweep(expiredBefore moment: NumericDate, atMost limit: Int) async throws(StoreError) -> Int {
        try await perform { connection in
            // Of two servers that sweep at once one finds less than there is, and comes again.
            try connection.run(
                .writing(
                    """
                    WITH mark AS (UPDATE swept SET through = greatest(through, $1::bigint) WHERE through < $1::bigint)
                    DELETE FROM spent WHERE (kind, digest) IN (
                        SELECT kind, digest FROM spent WHERE expires_at < $1::bigint ORDER BY expires_at LIMIT $2)
                    """),
                [.integer(moment.seconds), .integer(Int64(max(0, limit)))]
            ).count
        }
    }

    package func sweptThrough() async throws(StoreError) -> NumericDate {
        try await perform { connection in
            NumericDate(try connection.run(.reading("SELECT through FROM swept"), []).rows.first?.integer(0) ?? 0)
        }
    }
}

extension SpentRecord {
    fileprivate func precedes(_ other: SpentRecord) -> Bool {
        kind == other.kind
            ? digest.lexicographicallyPrecedes(other.digest) : kind.rawValue < other.kind.rawValue
    }
}
