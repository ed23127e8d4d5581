package import JOSE
internal import Postgres
package import Stores

extension PostgresStore: PendingCredentials {
    package func keep(_ pending: PendingCredential) async throws(StoreError) {
        try await perform { try Self.insert(pending, &$0) }
    }

    package func find(
        _ claim: PendingCredentialClaim, at now: NumericDate
    ) async throws(StoreError) -> PendingCredentialOutcome {
        try await perform { connection in
            let found = try connection.run(
                .reading(
                    """
                    SELECT \(PendingCredential.columns) FROM pending_credentials
                    WHERE digest = $1 AND client = $2 AND expires_at > $3
                    """),
                [.bytes(claim.record.digest), .bytes(of: claim.client), .integer(now.seconds)]
            ).rows.first
            guard let found else { return try Self.absence(of: claim, &connection) }
            let pending = try PendingCredential(row: found, as: claim.record, of: claim.client)
            return claim.refusal(of: pending) ?? .redeemed(pending)
        }
    }

    package func redeem(
        _ claim: PendingCredentialClaim, at now: NumericDate
    ) async throws(StoreError) -> PendingCredentialOutcome {
        try await transaction { connection in
            // This one statement decides which of several callers is the first: a second one waits for it, then finds
            // nothing.
            let taken = try connection.run(
                .writing(
                    """
                    DELETE FROM pending_credentials WHERE digest = $1 AND client = $2 AND expires_at > $3
                    RETURNING \(PendingCredential.columns)
                    """),
                [.bytes(claim.record.digest), .bytes(of: claim.client), .integer(now.seconds)]
            ).rows.first
            guard let taken else { return .undo(try Self.absence(of: claim, &connection)) }
            let pending = try PendingCredential(row: taken, as: claim.record, of: claim.client)
            // A mismatch rolls back the whole transaction, including the deletion.
            if let refusal = claim.refusal(of: pending) { return .undo(refusal) }
            guard try Self.spend(claim.record, at: now, &connection) == nil else { return .undo(.replayed) }
            return .keep(.redeemed(pending))
        }
    }

    /// The reason why nothing was redeemed.
    private static func absence(
        of claim: PendingCredentialClaim, _ connection: inout Connection
    ) throws -> PendingCredentialOutcome {
        if try isSpent(claim.record, &connection) { return .replayed }
        let rows = try connection.run(
            .reading("SELECT expires_at FROM pending_credentials WHERE digest = $1 AND client = $2"),
            [.bytes(claim.record.digest), .bytes(of: claim.client)])
        if rows.count == 1 { return .expired }
        // Another caller may have redeemed the credential since the first query.
        return try isSpent(claim.record, &connection) ? .replayed : .unknown
    }

    package func giveBack(_ pending: PendingCredential) async throws(StoreError) {
        try await transaction { connection in
            // Use the order of redeeming, so that two transactions cannot deadlock.
            try Self.insert(pending, &connection)
            try Self.forget(pending.record, &connection)
            return .keep(())
        }
    }

    package func sweepPendingCredentials(
        expiredBefore moment: NumericDate, atMost limit: Int
    ) async throws(StoreError) -> Int {
        try await perform { connection in
            try connection.run(
                .writing(
                    """
                    DELETE FROM pending_credentials WHERE digest IN (
                        SELECT digest FROM pending_credentials WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)
                    """),
                [.integer(moment.seconds), .integer(Int64(max(0, limit)))]
            ).count
        }
    }

    private static func insert(_ pending: PendingCredential, _ connection: inout Connection) throws {
        let values: [Value] = [
            .bytes(pending.record.digest), .bytes(of: pending.client), .bytes(of: pending.provider),
            .bytes(of: pending.usesText), .bytes(of: pending.uidsText), .bytes(pending.holder.map { Array($0.utf8) }),
            .bytes(of: pending.payload), .integer(pending.expiresAt.seconds),
        ]
        try connection.run(
            .writing(
                """
                INSERT INTO pending_credentials (digest, client, \(PendingCredential.columns))
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                """), values)
    }
}
