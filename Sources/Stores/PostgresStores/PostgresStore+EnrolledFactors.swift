package import JOSE
internal import Postgres
package import Stores

extension PostgresStore: EnrolledFactors {
    package func keep(
        _ factor: EnrolledFactor, expecting expectation: AccountExpectation
    ) async throws(StoreError) -> FactorDecision {
        try await transaction { connection in
            let holder = expectation.holder
            if let refusal = try Self.refusal(of: expectation, &connection) { return .undo(refusal) }
            // An account without a row cannot be locked. Then the unique index decides between simultaneous calls.
            try connection.run(
                .writing(
                    """
                    INSERT INTO factors (uid, tenant, \(EnrolledFactor.columns))
                    VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN $7 <> 0 THEN $8 END, $9,
                        CASE WHEN $10 <> 0 THEN $11 END)
                    ON CONFLICT (uid, tenant) WHERE expires_at IS NOT NULL DO UPDATE SET
                        id = excluded.id, name = excluded.name, secret = excluded.secret,
                        created_at = excluded.created_at, expires_at = excluded.expires_at,
                        last_step = excluded.last_step, last_used_at = excluded.last_used_at
                    """),
                holder.key + [
                    .bytes(of: factor.id), .bytes(factor.name.map { Array($0.utf8) }), .bytes(of: factor.secret),
                    .integer(factor.createdAt.seconds), .flag(factor.expiresAt != nil),
                    .integer(factor.expiresAt?.seconds ?? 0), .integer(factor.lastStep),
                    .flag(factor.lastUsedAt != nil), .integer(factor.lastUsedAt?.seconds ?? 0),
                ])
            return .keep(.done)
        }
    }

    /// The reason why an account must not get another factor.
    ///
    /// The row of the account is locked until the end of the transaction.
    private static func refusal(
        of expectation: AccountExpectation, _ connection: inout Connection
    ) throws -> FactorDecision? {
        if let refusal = try AccountTables.refusalOfFactors(expectation, &connection) { return .refused(refusal) }
        let count = try confirmedFactors(of: expectation.holder, &connection).count
        return count < FactorsOfAccount.maximum ? nil : .tooMany
    }

    package func factors(of holder: FactorHolder) async throws(StoreError) -> FactorsOfAccount {
        try await perform { connection in
            let codes = try connection.run(
                .reading("SELECT count(*) FROM recovery_codes WHERE uid = $1 AND tenant = $2"), holder.key)
            return FactorsOfAccount(
                factors: try Self.factors(of: holder, &connection),
                recoveryCodes: Int(codes.rows.first?.integer(0) ?? 0),
                tries: try Self.tries(of: holder, &connection))
        }
    }

    package func confirm(
        _ id: String, expecting expectation: AccountExpectation, step: Int64, recoveryCodes: [[UInt8]],
        at now: NumericDate
    ) async throws(StoreError) -> FactorDecision {
        try await transaction { connection in
            let holder = expectation.holder
            if let refusal = try Self.refusal(of: expectation, &connection) { return .undo(refusal) }
            let confirmed = try connection.run(
                .writing(
                    """
                    UPDATE factors SET expires_at = NULL, last_step = $4
                    WHERE uid = $1 AND tenant = $2 AND id = $3 AND expires_at > $5
                    """), holder.key + [.bytes(of: id), .integer(step), .integer(now.seconds)])
            guard confirmed.count == 1 else { return .undo(.unknownFactor) }
            try Self.deleteRecoveryCodes(of: holder, &connection)
            for digest in recoveryCodes {
                try connection.run(
                    .writing("INSERT INTO recovery_codes (uid, tenant, digest) VALUES ($1, $2, $3)"),
                    holder.key + [.bytes(digest)])
            }
            return .keep(.done)
        }
    }

    package func beginTry(_ attempt: FactorTry, at now: NumericDate) async throws(StoreError) -> FactorTryOutcome {
        try await transaction { connection in
            // Concurrent tries of one account wait for each other at this row.
            let counted = try connection.run(
                .writing(attempt.counting { "$\($0)" }), attempt.holder.key + [.integer(now.seconds)])
            guard counted.count == 1 else {
                return .undo(try Self.tries(of: attempt.holder, &connection).refusal(of: attempt))
            }
            if let handle = attempt.handle {
                let counted = try connection.run(
                    .writing(
                        "UPDATE pending_credentials SET failures = failures + 1 WHERE digest = $1 AND failures < $2"),
                    [.bytes(handle.digest), .integer(Int64(FactorLock.tries))])
                // The try of the account is not counted either, because no code is compared.
                guard counted.count == 1 else { return .undo(.handleEnded) }
            }
            return .keep(.allowed(try Self.confirmedFactors(of: attempt.holder, &connection)))
        }
    }

    package func use(_ code: FactorUse, of holder: FactorHolder, at now: NumericDate) async throws(StoreError) -> Bool {
        try await transaction { connection in
            let used =
                switch code {
                case .totp(let factor, let step, _):
                    try connection.run(
                        .writing(
                            """
                            UPDATE factors SET last_step = $4, last_used_at = $5
                            WHERE uid = $1 AND tenant = $2 AND id = $3 AND expires_at IS NULL AND last_step < $4
                            """), holder.key + [.bytes(of: factor), .integer(step), .integer(now.seconds)])
                case .recoveryCode(let digest):
                    try connection.run(
                        .writing("DELETE FROM recovery_codes WHERE uid = $1 AND tenant = $2 AND digest = $3"),
                        holder.key + [.bytes(digest)])
                }
            guard used.count == 1 else { return .undo(false) }
            try Self.deleteTries(of: holder, &connection)
            return .keep(true)
        }
    }

    package func giveBack(_ code: FactorUse, of holder: FactorHolder) async throws(StoreError) {
        try await perform { (connection: inout Connection) -> Void in
            switch code {
            case .totp(let factor, let step, let previous):
                try connection.run(
                    .writing(
                        """
                        UPDATE factors SET last_step = $5
                        WHERE uid = $1 AND tenant = $2 AND id = $3 AND last_step = $4
                        """), holder.key + [.bytes(of: factor), .integer(step), .integer(previous)])
            case .recoveryCode(let digest):
                try connection.run(
                    .writing(
                        """
                        INSERT INTO recovery_codes (uid, tenant, digest) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
                        """), holder.key + [.bytes(digest)])
            }
        }
    }

    package func removeFactor(_ id: String, of holder: FactorHolder) async throws(StoreError) -> Bool {
        try await transaction { connection in
            let removed = try connection.run(
                .writing("DELETE FROM factors WHERE uid = $1 AND tenant = $2 AND id = $3 AND expires_at IS NULL"),
                holder.key + [.bytes(of: id)])
            guard removed.count == 1 else { return .undo(false) }
            if try Self.confirmedFactors(of: holder, &connection).isEmpty {
                try Self.deleteRecoveryCodes(of: holder, &connection)
            }
            return .keep(true)
        }
    }

    package func removeWaitingFactor(of holder: FactorHolder) async throws(StoreError) {
        try await perform { (connection: inout Connection) -> Void in
            try connection.run(
                .writing("DELETE FROM factors WHERE uid = $1 AND tenant = $2 AND expires_at IS NOT NULL"), holder.key)
        }
    }

    package func removeFactors(of holder: FactorHolder) async throws(StoreError) {
        try await transaction { connection in
            try Self.deleteFactors(of: holder, &connection)
            return .keep(())
        }
    }

    package func unlockFactors(of holder: FactorHolder) async throws(StoreError) {
        try await perform { try Self.deleteTries(of: holder, &$0) }
    }

    /// Deletes everything about the second factors of an account.
    static func deleteFactors(of holder: FactorHolder, _ connection: inout Connection) throws {
        try connection.run(.writing("DELETE FROM factors WHERE uid = $1 AND tenant = $2"), holder.key)
        try deleteRecoveryCodes(of: holder, &connection)
        try deleteTries(of: holder, &connection)
    }

    private static func deleteRecoveryCodes(of holder: FactorHolder, _ connection: inout Connection) throws {
        try connection.run(.writing("DELETE FROM recovery_codes WHERE uid = $1 AND tenant = $2"), holder.key)
    }

    private static func deleteTries(of holder: FactorHolder, _ connection: inout Connection) throws {
        try connection.run(.writing("DELETE FROM factor_tries WHERE uid = $1 AND tenant = $2"), holder.key)
    }

    static func confirmedFactors(
        of holder: FactorHolder, _ connection: inout Connection
    ) throws -> [EnrolledFactor] {
        try factors(of: holder, &connection).filter { $0.expiresAt == nil }
    }

    private static func factors(
        of holder: FactorHolder, _ connection: inout Connection
    ) throws -> [EnrolledFactor] {
        try connection.run(
            .reading(
                "SELECT \(EnrolledFactor.columns) FROM factors WHERE uid = $1 AND tenant = $2 ORDER BY created_at, id"),
            holder.key
        ).rows.map { try EnrolledFactor(row: $0) }
    }

    private static func tries(of holder: FactorHolder, _ connection: inout Connection) throws -> CountedTries {
        try CountedTries(row: connection.run(.reading(CountedTries.query { "$\($0)" }), holder.key).rows.first)
    }
}

extension FactorHolder {
    fileprivate var key: [Value] { [.bytes(of: uid), .bytes(of: tenant)] }
}
