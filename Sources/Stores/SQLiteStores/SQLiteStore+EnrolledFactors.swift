internal import Foundation
internal import GRDB
package import JOSE
package import Stores

extension SQLiteStore: EnrolledFactors {
    package func keep(
        _ factor: EnrolledFactor, expecting expectation: AccountExpectation
    ) async throws(StoreError) -> FactorDecision {
        try await writes.write { db in
            let holder = expectation.holder
            if let refusal = try Self.refusal(of: expectation, db) { return .undo(refusal) }
            try Self.deleteWaitingFactor(of: holder, db)
            try db.cachedStatement(
                sql: """
                    INSERT INTO factors (uid, tenant, \(EnrolledFactor.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """
            ).execute(
                arguments: holder.key + [
                    Data(factor.id.utf8), factor.name.map { Data($0.utf8) }, Data(factor.secret.utf8),
                    factor.createdAt.seconds, factor.expiresAt?.seconds, factor.lastStep, factor.lastUsedAt?.seconds,
                ])
            return .keep(.done)
        }
    }

    /// The reason why an account must not get another factor.
    private static func refusal(of expectation: AccountExpectation, _ db: Database) throws -> FactorDecision? {
        if let refusal = try AccountTables.refusalOfFactors(expectation, db) { return .refused(refusal) }
        return try confirmedFactors(of: expectation.holder, db).count < FactorsOfAccount.maximum ? nil : .tooMany
    }

    package func factors(of holder: FactorHolder) async throws(StoreError) -> FactorsOfAccount {
        try await writes.read { db in
            FactorsOfAccount(
                factors: try Self.factors(of: holder, db),
                recoveryCodes: try Int.fetchOne(
                    db.cachedStatement(sql: "SELECT count(*) FROM recovery_codes WHERE uid = ? AND tenant = ?"),
                    arguments: holder.key) ?? 0,
                tries: try Self.tries(of: holder, db))
        }
    }

    package func confirm(
        _ id: String, expecting expectation: AccountExpectation, step: Int64, recoveryCodes: [[UInt8]],
        at now: NumericDate
    ) async throws(StoreError) -> FactorDecision {
        try await writes.write { db in
            let holder = expectation.holder
            if let refusal = try Self.refusal(of: expectation, db) { return .undo(refusal) }
            try db.cachedStatement(
                sql: """
                    UPDATE factors SET expires_at = NULL, last_step = ?
                    WHERE uid = ? AND tenant = ? AND id = ? AND expires_at > ?
                    """
            ).execute(arguments: [step] + holder.key + [Data(id.utf8), now.seconds])
            guard db.changesCount == 1 else { return .undo(.unknownFactor) }
            try Self.deleteRecoveryCodes(of: holder, db)
            let insertion = try db.cachedStatement(
                sql: "INSERT INTO recovery_codes (uid, tenant, digest) VALUES (?, ?, ?)")
            for digest in recoveryCodes { try insertion.execute(arguments: holder.key + [Data(digest)]) }
            return .keep(.done)
        }
    }

    package func beginTry(_ attempt: FactorTry, at now: NumericDate) async throws(StoreError) -> FactorTryOutcome {
        try await writes.write { db in
            let counted = try Int64.fetchOne(
                db.cachedStatement(sql: attempt.counting { "?\($0)" }),
                arguments: attempt.holder.key + [now.seconds])
            guard counted != nil else {
                return .undo(try Self.tries(of: attempt.holder, db).refusal(of: attempt))
            }
            if let handle = attempt.handle {
                try db.cachedStatement(
                    sql: "UPDATE pending_credentials SET failures = failures + 1 WHERE digest = ? AND failures < ?"
                ).execute(arguments: [Data(handle.digest), FactorLock.tries])
                // The try of the account is not counted either, because no code is compared.
                guard db.changesCount == 1 else { return .undo(.handleEnded) }
            }
            return .keep(.allowed(try Self.confirmedFactors(of: attempt.holder, db)))
        }
    }

    package func use(_ code: FactorUse, of holder: FactorHolder, at now: NumericDate) async throws(StoreError) -> Bool {
        try await writes.write { db in
            switch code {
            case .totp(let factor, let step, _):
                try db.cachedStatement(
                    sql: """
                        UPDATE factors SET last_step = ?1, last_used_at = ?2
                        WHERE uid = ?3 AND tenant = ?4 AND id = ?5 AND expires_at IS NULL AND last_step < ?1
                        """
                ).execute(arguments: [step, now.seconds] + holder.key + [Data(factor.utf8)])
            case .recoveryCode(let digest):
                try db.cachedStatement(
                    sql: "DELETE FROM recovery_codes WHERE uid = ? AND tenant = ? AND digest = ?"
                ).execute(arguments: holder.key + [Data(digest)])
            }
            guard db.changesCount == 1 else { return .undo(false) }
            try Self.deleteTries(of: holder, db)
            return .keep(true)
        }
    }

    package func giveBack(_ code: FactorUse, of holder: FactorHolder) async throws(StoreError) {
        try await writes.write { db in
            switch code {
            case .totp(let factor, let step, let previous):
                try db.cachedStatement(
                    sql: """
                        UPDATE factors SET last_step = ? WHERE uid = ? AND tenant = ? AND id = ? AND last_step = ?
                        """
                ).execute(arguments: [previous] + holder.key + [Data(factor.utf8), step])
            case .recoveryCode(let digest):
                try db.cachedStatement(
                    sql: "INSERT INTO recovery_codes (uid, tenant, digest) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
                ).execute(arguments: holder.key + [Data(digest)])
            }
            return .keep(())
        }
    }

    package func removeFactor(_ id: String, of holder: FactorHolder) async throws(StoreError) -> Bool {
        try await writes.write { db in
            try db.cachedStatement(
                sql: "DELETE FROM factors WHERE uid = ? AND tenant = ? AND id = ? AND expires_at IS NULL"
            ).execute(arguments: holder.key + [Data(id.utf8)])
            guard db.changesCount == 1 else { return .undo(false) }
            if try Self.confirmedFactors(of: holder, db).isEmpty {
                try Self.deleteRecoveryCodes(of: holder, db)
            }
            return .keep(true)
        }
    }

    package func removeWaitingFactor(of holder: FactorHolder) async throws(StoreError) {
        try await writes.write { db in
            try Self.deleteWaitingFactor(of: holder, db)
            return .keep(())
        }
    }

    package func removeFactors(of holder: FactorHolder) async throws(StoreError) {
        try await writes.write { db in
            try Self.deleteFactors(of: holder, db)
            return .keep(())
        }
    }

    package func unlockFactors(of holder: FactorHolder) async throws(StoreError) {
        try await writes.write { db in
            try Self.deleteTries(of: holder, db)
            return .keep(())
        }
    }

    /// Deletes everything about the second factors of an account.
    static func deleteFactors(of holder: FactorHolder, _ db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM factors WHERE uid = ? AND tenant = ?").execute(arguments: holder.key)
        try deleteRecoveryCodes(of: holder, db)
        try deleteTries(of: holder, db)
    }

    private static func deleteWaitingFactor(of holder: FactorHolder, _ db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM factors WHERE uid = ? AND tenant = ? AND expires_at IS NOT NULL")
            .execute(arguments: holder.key)
    }

    private static func deleteRecoveryCodes(of holder: FactorHolder, _ db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM recovery_codes WHERE uid = ? AND tenant = ?")
            .execute(arguments: holder.key)
    }

    private static func deleteTries(of holder: FactorHolder, _ db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM factor_tries WHERE uid = ? AND tenant = ?")
            .execute(arguments: holder.key)
    }

    static func confirmedFactors(of holder: FactorHolder, _ db: Database) throws -> [EnrolledFactor] {
        try factors(of: holder, db).filter { $0.expiresAt == nil }
    }

    private static func factors(of holder: FactorHolder, _ db: Database) throws -> [EnrolledFactor] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(EnrolledFactor.columns) FROM factors WHERE uid = ? AND tenant = ? ORDER BY created_at, id
                """)
        return try Row.fetchAll(statement, arguments: holder.key).map { try EnrolledFactor(row: $0) }
    }

    private static func tries(of holder: FactorHolder, _ db: Database) throws -> CountedTries {
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: CountedTries.query { "?\($0)" }), arguments: holder.key)
        return try CountedTries(row: rows.next())
    }
}

extension FactorHolder {
    fileprivate var key: StatementArguments { [Data(uid.utf8), Data(tenant.utf8)] }
}
