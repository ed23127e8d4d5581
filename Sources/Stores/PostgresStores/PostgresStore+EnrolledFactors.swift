package import JOSE
internal import Postgres
package import Stores

extension PostgresStore: EnrolledFactors {
    package func keep(_ factor: EnrolledFactor, of holder: FactorHolder) async throws(StoreError) {
        try await transaction { connection in
            try connection.run(
                .writing("DELETE FROM factors WHERE uid = $1 AND tenant = $2 AND expires_at IS NOT NULL"), holder.key)
            try connection.run(
                .writing(
                    """
                    INSERT INTO factors (uid, tenant, \(EnrolledFactor.columns))
                    VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN $7 <> 0 THEN $8 END, $9,
                        CASE WHEN $10 <> 0 THEN $11 END)
                    """),
                holder.key + [
                    .bytes(of: factor.id), .bytes(factor.name.map { Array($0.utf8) }), .bytes(of: factor.secret),
                    .integer(factor.createdAt.seconds), .flag(factor.expiresAt != nil),
                    .integer(factor.expiresAt?.seconds ?? 0), .integer(factor.lastStep),
                    .flag(factor.lastUsedAt != nil), .integer(factor.lastUsedAt?.seconds ?? 0),
                ])
            return .keep(())
        }
    }

    package func factors(of holder: FactorHolder) async throws(StoreError) -> FactorsOfAccount {
        try await perform { connection in
            let codes = try connection.run(
                .reading("SELECT count(*) FROM recovery_codes WHERE uid = $1 AND tenant = $2"), holder.key)
            return FactorsOfAccount(
                factors: try Self.factors(of: holder, &connection),
                recoveryCodes: Int(codes.rows.first?.integer(0) ?? 0),
                lockedUntil: try Self.lockedUntil(holder, &connection))
        }
    }

    package func confirm(
        _ id: String, of holder: FactorHolder, step: Int64, recoveryCodes: [[UInt8]], at now: NumericDate
    ) async throws(StoreError) -> Bool {
        try await transaction { connection in
            let confirmed = try connection.run(
                .writing(
                    """
                    UPDATE factors SET expires_at = NULL, last_step = $4
                    WHERE uid = $1 AND tenant = $2 AND id = $3 AND expires_at > $5
                    """), holder.key + [.bytes(of: id), .integer(step), .integer(now.seconds)])
            guard confirmed.count == 1 else { return .undo(false) }
            try Self.deleteRecoveryCodes(of: holder, &connection)
            for digest in recoveryCodes {
                try connection.run(
                    .writing("INSERT INTO recovery_codes (uid, tenant, digest) VALUES ($1, $2, $3)"),
                    holder.key + [.bytes(digest)])
            }
            return .keep(true)
        }
    }

    package func beginTry(_ attempt: FactorTry, at now: NumericDate) async throws(StoreError) -> FactorTryOutcome {
        try await transaction { connection in
            // Concurrent tries of one account wait for each other at this row.
            let counted = try connection.run(
                .writing(FactorTry.counting { "$\($0)" }),
                attempt.holder.key + [
                    .integer(Int64(attempt.limit)), .integer(now.seconds), .integer((now + attempt.lockout).seconds),
                ])
            guard counted.count == 1 else {
                return .undo(.locked(until: try Self.lockedUntil(attempt.holder, &connection) ?? now))
            }
            if let handle = attempt.handle {
                let counted = try connection.run(
                    .writing(
                        "UPDATE pending_credentials SET failures = failures + 1 WHERE digest = $1 AND failures < $2"),
                    [.bytes(handle.digest), .integer(Int64(attempt.limit))])
                // The try of the account is not counted either, because no code is compared.
                guard counted.count == 1 else { return .undo(.handleEnded) }
            }
            return .keep(.allowed(try Self.factors(of: attempt.holder, &connection).filter { $0.expiresAt == nil }))
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
            if try Self.factors(of: holder, &connection).allSatisfy({ $0.expiresAt != nil }) {
                try Self.deleteRecoveryCodes(of: holder, &connection)
            }
            return .keep(true)
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

    private static func factors(
        of holder: FactorHolder, _ connection: inout Connection
    ) throws -> [EnrolledFactor] {
        try connection.run(
            .reading(
                "SELECT \(EnrolledFactor.columns) FROM factors WHERE uid = $1 AND tenant = $2 ORDER BY created_at, id"),
            holder.key
        ).rows.map { try EnrolledFactor(row: $0) }
    }

    private static func lockedUntil(_ holder: FactorHolder, _ connection: inout Connection) throws -> NumericDate? {
        try connection.run(
            .reading("SELECT locked_until FROM factor_tries WHERE uid = $1 AND tenant = $2 AND locked_until > 0"),
            holder.key
        ).rows.first?.integer(0).map { NumericDate($0) }
    }
}

extension FactorHolder {
    fileprivate var key: [Value] { [.bytes(of: uid), .bytes(of: tenant)] }
}
