package import JOSE
internal import Postgres
package import Stores

extension PostgresStore: SpentCredentials {
    package func spend(_ records: [SpentRecord], at now: NumericDate) async throws(StoreError) -> SpendOutcome {
        try requireBelievedClock(records, at: now)
        // The sweep could delete the record before the response is sent.
        if let late = records.first(where: { $0.expiresAt <= now }) { return .expired(late.kind) }
        if records.count == 1, let record = records.first {
            // A single statement is its own transaction, and saves two round trips.
            return try await perform { connection in
                try Self.spend(record, at: now, &connection)?.outcome(record.kind) ?? .first
            }
        }
        return try await spend(records, at: now) { _ in }.outcome
    }

    // `found` runs in the same transaction, after all records were added. If it fails, nothing is spent.
    private func spend<Found: Sendable>(
        _ records: [SpentRecord], at now: NumericDate, _ found: @escaping @Sendable (inout Connection) throws -> Found
    ) async throws(StoreError) -> (outcome: SpendOutcome, found: Found?) {
        try await transaction { connection in
            var refusals: [Int: SpendRefusal] = [:]
            // Each statement waits for a concurrent one with the same record. Use one order, so that two transactions
            // cannot deadlock.
            for index in records.indices.sorted(by: { records[$0].precedes(records[$1]) }) {
                refusals[index] = try Self.spend(records[index], at: now, &connection)
            }
            guard let (index, refusal) = refusals.min(by: { $0.key < $1.key }) else {
                return .keep((.first, try found(&connection)))
            }
            return .undo((refusal.outcome(records[index].kind), nil))
        }
    }

    package func spend(
        _ records: [SpentRecord], finding identity: ExternalIdentity, at now: NumericDate
    ) async throws(StoreError) -> (outcome: SpendOutcome, known: KnownIdentity?) {
        try requireBelievedClock(records, at: now)
        if let late = records.first(where: { $0.expiresAt <= now }) { return (.expired(late.kind), nil) }
        guard records.count == 1, let record = records.first else {
            let (outcome, known) = try await spend(records, at: now) { try AccountTables.known(identity, &$0) }
            return (outcome, known ?? nil)
        }
        return try await perform { connection in
            let row = try connection.run(Self.spendingAndFinding, Self.values(record, at: now) + identity.key).rows
                .first
            guard let row else {
                return (try Self.refusal(of: record, at: now, &connection).outcome(record.kind), nil)
            }
            return (.first, row.bytes(0) == nil ? nil : try KnownIdentity(row: row))
        }
    }

    /// Refuses every use while the clock is in doubt: if its jump is real, commits may be missing, and the unwatched time
    /// is not recorded yet.
    private func requireBelievedClock(_ records: [SpentRecord], at now: NumericDate) throws(StoreError) {
        precondition(!records.isEmpty, "At least one record must be spent.")
        guard !clock.isInDoubt(at: now) else { throw .clockBehind }
    }

    private static let spending = """
        INSERT INTO spent (kind, digest, expires_at)
        SELECT $1::text, $2::bytea, $3::bigint
        WHERE $4::bigint >= (SELECT greatest(watch.until - $5::bigint, swept.through) FROM watch, swept)
            AND NOT EXISTS (SELECT 1 FROM unwatched WHERE since <= $6::bigint AND until > $6::bigint)
        ON CONFLICT DO NOTHING
        """

    /// The statement that spends a record and finds the account of an identity.
    ///
    /// It returns one row if this was the first use. The columns of the row are null if the identity is not linked.
    private static let spendingAndFinding = Statement.writing(
        """
        WITH first AS (\(spending) RETURNING true)
        SELECT \(KnownIdentity.columns)
        FROM first LEFT JOIN (identities JOIN accounts USING (uid)) ON provider = $7 AND subject = $8
        """)

    private static func values(_ record: SpentRecord, at now: NumericDate) -> [Value] {
        [
            .text(record.kind.rawValue), .bytes(record.digest), .integer(record.expiresAt.seconds),
            .integer(now.seconds),
            .integer(UnwatchedTime.clockTolerance.components.seconds),
            // No unwatched period contains this value.
            .integer(record.issuedAt?.seconds ?? .max),
        ]
    }

    /// Spends a record that does not exist and cannot have been lost.
    ///
    /// One statement both decides and writes, so that only one of several callers is the first.
    ///
    /// - Returns: `nil` after the first use. Otherwise nothing was written, and the result is the reason.
    /// - Throws: ``StoreError/clockBehind``.
    static func spend(
        _ record: SpentRecord, at now: NumericDate, _ connection: inout Connection
    ) throws -> SpendRefusal? {
        let isFirst = try connection.run(.writing(spending), values(record, at: now)).count == 1
        return isFirst ? nil : try refusal(of: record, at: now, &connection)
    }

    private static func refusal(
        of record: SpentRecord, at now: NumericDate, _ connection: inout Connection
    ) throws -> SpendRefusal {
        guard try !WatchTables.reading(&connection).isBehind(now) else { throw StoreError.clockBehind }
        // The conflicting record may have been given back since. In this call it then still counts as used.
        guard let issuedAt = record.issuedAt, try !isSpent(record, &connection) else { return .used }
        let period = try connection.run(
            .reading("SELECT until FROM unwatched WHERE since <= $1 AND until > $1"), [.integer(issuedAt.seconds)])
        return period.count > 0 ? .unwatched : .used
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
            // If two servers sweep concurrently, one deletes fewer rows than exist, and sweeps again later.
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
}

extension SpentRecord {
    fileprivate func precedes(_ other: SpentRecord) -> Bool {
        kind == other.kind
            ? digest.lexicographicallyPrecedes(other.digest) : kind.rawValue < other.kind.rawValue
    }
}
