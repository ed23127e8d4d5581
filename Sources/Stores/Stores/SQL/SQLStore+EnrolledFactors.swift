package import JOSE

/// The second factors of accounts.
extension SQLStore {
    package func keep(
        _ factor: EnrolledFactor, expecting expectation: AccountExpectation
    ) async throws(StoreError) -> FactorDecision {
        try await transaction { session in
            if let refusal = try session.refusalOfFactor(expectation) { return .undo(refusal) }
            // An account without a row cannot be locked. Then the unique index decides between simultaneous calls.
            try session.write(
                """
                INSERT INTO factors (uid, tenant, \(EnrolledFactor.columns))
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
                ON CONFLICT (uid, tenant) WHERE expires_at IS NOT NULL DO UPDATE SET
                    id = excluded.id, name = excluded.name, secret = excluded.secret,
                    created_at = excluded.created_at, expires_at = excluded.expires_at,
                    last_step = excluded.last_step, last_used_at = excluded.last_used_at
                """,
                expectation.holder.key + [
                    .octets(factor.id), .octets(factor.name), .octets(factor.secret), .time(factor.createdAt),
                    .time(factor.expiresAt), .integer(factor.lastStep), .time(factor.lastUsedAt),
                ])
            return .keep(.done)
        }
    }

    package func factors(of holder: FactorHolder) async throws(StoreError) -> FactorsOfAccount {
        try await read { session in
            FactorsOfAccount(
                factors: try session.factors(of: holder),
                recoveryCodes: try session.number(
                    "SELECT count(*) FROM recovery_codes WHERE uid = ?1 AND tenant = ?2", holder.key),
                tries: try session.tries(of: holder))
        }
    }

    package func confirm(
        _ id: String, expecting expectation: AccountExpectation, step: Int64, recoveryCodes: [[UInt8]],
        at now: NumericDate
    ) async throws(StoreError) -> FactorDecision {
        try await transaction { session in
            let holder = expectation.holder
            if let refusal = try session.refusalOfFactor(expectation) { return .undo(refusal) }
            let confirmed = try session.write(
                """
                UPDATE factors SET expires_at = NULL, last_step = ?4
                WHERE uid = ?1 AND tenant = ?2 AND id = ?3 AND expires_at > ?5
                """, holder.key + [.octets(id), .integer(step), .time(now)])
            guard confirmed.count == 1 else { return .undo(.unknownFactor) }
            try session.deleteRecoveryCodes(of: holder)
            for digest in recoveryCodes {
                try session.write(
                    "INSERT INTO recovery_codes (uid, tenant, digest) VALUES (?1, ?2, ?3)",
                    holder.key + [.bytes(digest)])
            }
            return .keep(.done)
        }
    }

    package func beginTry(_ attempt: FactorTry, at now: NumericDate) async throws(StoreError) -> FactorTryOutcome {
        try await transaction { session in
            // Concurrent tries of one account wait for each other at this row.
            let counted = try session.write(attempt.counting, attempt.holder.key + [.time(now)])
            guard counted.count == 1 else {
                return .undo(try session.tries(of: attempt.holder).refusal(of: attempt))
            }
            if let handle = attempt.handle {
                let counted = try session.write(
                    "UPDATE pending_credentials SET failures = failures + 1 WHERE digest = ?1 AND failures < ?2",
                    [.bytes(handle.digest), .integer(Int64(FactorLock.tries))])
                // The try of the account is not counted either, because no code is compared.
                guard counted.count == 1 else { return .undo(.handleEnded) }
            }
            return .keep(.allowed(try session.confirmedFactors(of: attempt.holder)))
        }
    }

    package func use(_ code: FactorUse, of holder: FactorHolder, at now: NumericDate) async throws(StoreError) -> Bool {
        try await transaction { session in
            let used =
                switch code {
                case .totp(let factor, let step, _):
                    try session.write(
                        """
                        UPDATE factors SET last_step = ?4, last_used_at = ?5
                        WHERE uid = ?1 AND tenant = ?2 AND id = ?3 AND expires_at IS NULL AND last_step < ?4
                        """, holder.key + [.octets(factor), .integer(step), .time(now)])
                case .recoveryCode(let digest):
                    try session.write(
                        "DELETE FROM recovery_codes WHERE uid = ?1 AND tenant = ?2 AND digest = ?3",
                        holder.key + [.bytes(digest)])
                }
            guard used.count == 1 else { return .undo(false) }
            try session.deleteTries(of: holder)
            return .keep(true)
        }
    }

    package func giveBack(_ code: FactorUse, of holder: FactorHolder) async throws(StoreError) {
        try await perform { (session: Session) -> Void in
            switch code {
            case .totp(let factor, let step, let previous):
                try session.write(
                    """
                    UPDATE factors SET last_step = ?5
                    WHERE uid = ?1 AND tenant = ?2 AND id = ?3 AND last_step = ?4
                    """, holder.key + [.octets(factor), .integer(step), .integer(previous)])
            case .recoveryCode(let digest):
                try session.write(
                    "INSERT INTO recovery_codes (uid, tenant, digest) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
                    holder.key + [.bytes(digest)])
            }
        }
    }

    package func removeFactor(_ id: String, of holder: FactorHolder) async throws(StoreError) -> Bool {
        try await transaction { session in
            let removed = try session.write(
                "DELETE FROM factors WHERE uid = ?1 AND tenant = ?2 AND id = ?3 AND expires_at IS NULL",
                holder.key + [.octets(id)])
            guard removed.count == 1 else { return .undo(false) }
            if try session.confirmedFactors(of: holder).isEmpty { try session.deleteRecoveryCodes(of: holder) }
            return .keep(true)
        }
    }

    package func removeWaitingFactor(of holder: FactorHolder) async throws(StoreError) {
        try await perform { (session: Session) -> Void in
            try session.write(
                "DELETE FROM factors WHERE uid = ?1 AND tenant = ?2 AND expires_at IS NOT NULL", holder.key)
        }
    }

    package func removeFactors(of holder: FactorHolder) async throws(StoreError) {
        try await transaction { .keep(try $0.deleteFactors(of: holder)) }
    }

    package func unlockFactors(of holder: FactorHolder) async throws(StoreError) {
        try await perform { try $0.deleteTries(of: holder) }
    }
}

extension SQLSession {
    /// The reason why an account must not get another factor.
    ///
    /// The row of the account is locked until the end of the transaction.
    fileprivate func refusalOfFactor(_ expectation: AccountExpectation) throws -> FactorDecision? {
        if let refusal = try refusalOfFactors(expectation) { return .refused(refusal) }
        return try confirmedFactors(of: expectation.holder).count < FactorsOfAccount.maximum ? nil : .tooMany
    }

    /// Deletes everything about the second factors of an account.
    func deleteFactors(of holder: FactorHolder) throws {
        try write("DELETE FROM factors WHERE uid = ?1 AND tenant = ?2", holder.key)
        try deleteRecoveryCodes(of: holder)
        try deleteTries(of: holder)
    }

    fileprivate func deleteRecoveryCodes(of holder: FactorHolder) throws {
        try write("DELETE FROM recovery_codes WHERE uid = ?1 AND tenant = ?2", holder.key)
    }

    fileprivate func deleteTries(of holder: FactorHolder) throws {
        try write("DELETE FROM factor_tries WHERE uid = ?1 AND tenant = ?2", holder.key)
    }

    func confirmedFactors(of holder: FactorHolder) throws -> [EnrolledFactor] {
        try factors(of: holder).filter { $0.expiresAt == nil }
    }

    fileprivate func factors(of holder: FactorHolder) throws -> [EnrolledFactor] {
        try read(
            "SELECT \(EnrolledFactor.columns) FROM factors WHERE uid = ?1 AND tenant = ?2 ORDER BY created_at, id",
            holder.key
        ).map { try EnrolledFactor(row: $0) }
    }

    fileprivate func tries(of holder: FactorHolder) throws -> CountedTries {
        let rows = try read(
            "SELECT failures, locked_until FROM factor_tries WHERE uid = ?1 AND tenant = ?2", holder.key)
        guard let row = rows.first else { return CountedTries() }
        guard let count = row.integer(0), let end = row.time(1) else { throw StoreError.corrupt }
        return CountedTries(count: Int(count), lockedUntil: end.seconds > 0 ? end : nil)
    }
}

extension FactorHolder {
    fileprivate var key: [SQLValue] { [.octets(uid), .octets(tenant)] }
}

extension EnrolledFactor {
    /// The columns in the order in which ``init(row:)`` reads them.
    fileprivate static let columns = "id, name, secret, created_at, expires_at, last_step, last_used_at"

    fileprivate init(row: any SQLRow) throws(StoreError) {
        guard let id = row.text(0), let secret = row.text(2), let createdAt = row.time(3),
            let lastStep = row.integer(5)
        else { throw .corrupt }
        self.init(
            id: id, name: row.text(1), secret: secret, createdAt: createdAt, expiresAt: row.time(4),
            lastStep: lastStep, lastUsedAt: row.time(6))
    }
}

extension FactorTry {
    /// The statement that counts a try, and returns a row if it did.
    ///
    /// The values are the uid, the tenant, and the time.
    fileprivate var counting: String {
        let now = "CAST(?3 AS bigint)"
        let locks = (1...FactorLock.limit).compactMap { count in
            FactorLock.time(after: count).map { "WHEN \(count) THEN \(now) + \($0.components.seconds)" }
        }
        let later = FactorLock.time(after: FactorLock.limit + FactorLock.tries)?.components.seconds ?? 0
        let limit = isRecovery ? "" : "AND factor_tries.failures < \(FactorLock.limit)"
        return """
            INSERT INTO factor_tries (uid, tenant, failures, locked_until) VALUES (?1, ?2, 1, 0)
            ON CONFLICT (uid, tenant) DO UPDATE SET
                failures = factor_tries.failures + 1,
                locked_until = CASE factor_tries.failures + 1 \(locks.joined(separator: " ")) ELSE
                    CASE WHEN factor_tries.failures >= \(FactorLock.limit)
                        AND (factor_tries.failures + 1) % \(FactorLock.tries) = 0 THEN \(now) + \(later) ELSE 0 END END
            WHERE factor_tries.locked_until <= \(now) \(limit)
            RETURNING failures
            """
    }
}
