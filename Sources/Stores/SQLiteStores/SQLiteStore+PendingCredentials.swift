internal import Foundation
internal import GRDB
package import JOSE
package import Stores

extension SQLiteStore: PendingCredentials {
    package func keep(_ pending: PendingCredential) async throws(StoreError) {
        try await writes.write { db in
            try Self.insert(pending, db)
            return .keep(())
        }
    }

    package func find(
        _ claim: PendingCredentialClaim, at now: NumericDate
    ) async throws(StoreError) -> PendingCredentialOutcome {
        try await writes.read { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT \(PendingCredential.columns) FROM pending_credentials
                    WHERE digest = ? AND client = ? AND expires_at > ?
                    """)
            let found = try Row.fetchOne(
                statement, arguments: [Data(claim.record.digest), Data(claim.client.utf8), now.seconds])
            guard let found else { return try Self.absence(of: claim, db) }
            let pending = try PendingCredential(row: found, as: claim.record, of: claim.client)
            return claim.refusal(of: pending) ?? .redeemed(pending)
        }
    }

    package func redeem(
        _ claim: PendingCredentialClaim, at now: NumericDate
    ) async throws(StoreError) -> PendingCredentialOutcome {
        try await writes.write { db in
            // This one statement decides which of several callers is the first.
            let statement = try db.cachedStatement(
                sql: """
                    DELETE FROM pending_credentials WHERE digest = ? AND client = ? AND expires_at > ?
                    RETURNING \(PendingCredential.columns)
                    """)
            let taken = try Row.fetchOne(
                statement, arguments: [Data(claim.record.digest), Data(claim.client.utf8), now.seconds])
            guard let taken else { return .undo(try Self.absence(of: claim, db)) }
            let pending = try PendingCredential(row: taken, as: claim.record, of: claim.client)
            // A mismatch rolls back the whole job, including the deletion.
            if let refusal = claim.refusal(of: pending) { return .undo(refusal) }
            guard try Self.spend(claim.record, at: now, db) == nil else { return .undo(.replayed) }
            return .keep(.redeemed(pending))
        }
    }

    /// The reason why nothing was redeemed.
    private static func absence(of claim: PendingCredentialClaim, _ db: Database) throws -> PendingCredentialOutcome {
        if try isSpent(claim.record, db) { return .replayed }
        let isThere = try Bool.fetchOne(
            db.cachedStatement(
                sql: "SELECT EXISTS (SELECT 1 FROM pending_credentials WHERE digest = ? AND client = ?)"),
            arguments: [Data(claim.record.digest), Data(claim.client.utf8)])
        return isThere == true ? .expired : .unknown
    }

    package func giveBack(_ pending: PendingCredential) async throws(StoreError) {
        try await writes.write { db in
            try Self.forget(pending.record, db)
            try Self.insert(pending, db)
            return .keep(())
        }
    }

    package func sweepPendingCredentials(
        expiredBefore moment: NumericDate, atMost limit: Int
    ) async throws(StoreError) -> Int {
        try await writes.write { db in
            try db.cachedStatement(
                sql: """
                    DELETE FROM pending_credentials WHERE digest IN (
                        SELECT digest FROM pending_credentials WHERE expires_at < ? ORDER BY expires_at LIMIT ?)
                    """
            ).execute(arguments: [moment.seconds, max(0, limit)])
            return .keep(db.changesCount)
        }
    }

    private static func insert(_ pending: PendingCredential, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO pending_credentials (digest, client, \(PendingCredential.columns))
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            Data(pending.record.digest), Data(pending.client.utf8), Data(pending.provider.utf8),
            Data(pending.usesText.utf8), Data(pending.uidsText.utf8), pending.holder.map { Data($0.utf8) },
            Data(pending.payload.utf8), pending.expiresAt.seconds,
        ])
    }
}
