package import JOSE

/// The records of used credentials.
extension SQLStore {
    package func spend(_ records: [SpentRecord], at now: NumericDate) async throws(StoreError) -> SpendOutcome {
        if let refusal = try refusal(of: records, at: now) { return refusal }
        guard records.count == 1, let record = records.first else {
            return try await spendAll(records, at: now) { _ in }.outcome
        }
        // A single statement is its own transaction, and saves two round trips.
        return try await perform(isOneStatement: true) { session in
            try session.spend(record, at: now)?.outcome(record.kind) ?? .first
        }
    }

    package func spend(
        _ records: [SpentRecord], finding identity: ExternalIdentity, at now: NumericDate
    ) async throws(StoreError) -> (outcome: SpendOutcome, known: KnownIdentity?) {
        if let refusal = try refusal(of: records, at: now) { return (refusal, nil) }
        guard records.count == 1, let record = records.first else {
            let (outcome, known) = try await spendAll(records, at: now) { try $0.known(identity) }
            return (outcome, known ?? nil)
        }
        return try await perform(isOneStatement: true) { session in
            let (refusal, known) = try session.spend(record, finding: identity, at: now)
            return (refusal?.outcome(record.kind) ?? .first, known)
        }
    }

    /// Spends several records, and runs `found` after all were added.
    ///
    /// If that fails, nothing is spent.
    private func spendAll<Found: Sendable>(
        _ records: [SpentRecord], at now: NumericDate, _ found: @escaping @Sendable (Session) throws -> Found
    ) async throws(StoreError) -> (outcome: SpendOutcome, found: Found?) {
        try await transaction { session in
            var refusals: [Int: SpendRefusal] = [:]
            // Each statement waits for a concurrent one with the same record. Use one order, so that two transactions
            // cannot deadlock.
            for index in records.indices.sorted(by: { records[$0].precedes(records[$1]) }) {
                refusals[index] = try session.spend(records[index], at: now)
            }
            guard let (index, refusal) = refusals.min(by: { $0.key < $1.key }) else {
                return .keep((.first, try found(session)))
            }
            return .undo((refusal.outcome(records[index].kind), nil))
        }
    }

    /// The reason why records cannot be spent whatever the database contains.
    ///
    /// - Throws: ``StoreError/clockBehind`` while the clock is in doubt: if its jump is real, commits may be missing, and
    ///   the unwatched time is not recorded yet.
    private func refusal(of records: [SpentRecord], at now: NumericDate) throws(StoreError) -> SpendOutcome? {
        precondition(!records.isEmpty, "At least one record must be spent.")
        guard !clock.isInDoubt(at: now) else { throw .clockBehind }
        // The sweep could delete the record before the response is sent.
        return records.first { $0.expiresAt <= now }.map { .expired($0.kind) }
    }

    package func isSpent(_ record: SpentRecord) async throws(StoreError) -> Bool {
        try await read { try $0.isSpent(record) }
    }

    package func giveBack(_ records: [SpentRecord]) async throws(StoreError) {
        guard !records.isEmpty else { return }
        try await transaction { session in
            for record in records.sorted(by: { $0.precedes($1) }) { try session.forget(record) }
            return .keep(())
        }
    }

    package func sweep(expiredBefore moment: NumericDate, atMost limit: Int) async throws(StoreError) -> Int {
        try await perform { session in
            // The time is recorded first: a record that is deleted without it could be spent again. If two servers sweep
            // concurrently, one deletes fewer rows than exist, and sweeps again later.
            try session.write("UPDATE swept SET through = ?1 WHERE through < ?1", [.time(moment)])
            return try session.sweep("spent", by: "kind, digest", before: moment, atMost: limit)
        }
    }
}

extension SpentRecord {
    fileprivate func precedes(_ other: SpentRecord) -> Bool {
        kind == other.kind
            ? digest.lexicographicallyPrecedes(other.digest) : kind.rawValue < other.kind.rawValue
    }

    fileprivate var key: [SQLValue] { [.text(kind.rawValue), .bytes(digest)] }

    /// The values of ``SQLSession/spending``.
    package func spendingValues(at now: NumericDate) -> [SQLValue] {
        key + [
            .time(expiresAt), .time(now), .integer(UnwatchedTime.clockTolerance.components.seconds),
            // No unwatched period contains this value.
            .integer(issuedAt?.seconds ?? .max),
        ]
    }
}

extension SQLSession {
    /// The condition under which a record cannot have been lost, for ``spending``.
    ///
    /// Subqueries read the tables with one row. From a join, PostgreSQL expects 150,000 rows until it has analyzed these
    /// tables, and compiles each execution for 0.4 s (`jit_above_cost`).
    package static var isWatched: String {
        """
        ?4 >= (SELECT until - ?5 FROM watch) AND ?4 >= (SELECT through FROM swept)
            AND NOT EXISTS (SELECT 1 FROM unwatched WHERE since <= ?6 AND unwatched.until > ?6)
        """
    }

    /// Spends a record that does not exist and cannot have been lost.
    ///
    /// One statement both decides and writes, so that only one of several callers is the first.
    ///
    /// - Returns: `nil` after the first use. Otherwise nothing was written, and the result is the reason.
    /// - Throws: ``StoreError/clockBehind``.
    package func spend(_ record: SpentRecord, at now: NumericDate) throws -> SpendRefusal? {
        let isFirst = try write(Self.spending, record.spendingValues(at: now)).count == 1
        return isFirst ? nil : try refusal(of: record, at: now)
    }

    /// The reason why a record was not added.
    package func refusal(of record: SpentRecord, at now: NumericDate) throws -> SpendRefusal {
        guard try !watchReading().isBehind(now) else { throw StoreError.clockBehind }
        // The conflicting record may have been given back since. In this call it then still counts as used.
        guard let issuedAt = record.issuedAt, try !isSpent(record) else { return .used }
        let periods = try read("SELECT until FROM unwatched WHERE since <= ?1 AND until > ?1", [.time(issuedAt)])
        return periods.isEmpty ? .used : .unwatched
    }

    func forget(_ record: SpentRecord) throws {
        try write("DELETE FROM spent WHERE kind = ?1 AND digest = ?2", record.key)
    }

    func isSpent(_ record: SpentRecord) throws -> Bool {
        try !read("SELECT expires_at FROM spent WHERE kind = ?1 AND digest = ?2", record.key).isEmpty
    }
}
