package import JOSE
internal import Standards

/// The identities whose sign-in waits.
extension SQLStore {
    package func keep(_ pending: PendingCredential) async throws(StoreError) {
        try await perform { try $0.insert(pending) }
    }

    package func find(
        _ claim: PendingCredentialClaim, at now: NumericDate
    ) async throws(StoreError) -> PendingCredentialOutcome {
        try await read { session in
            let found = try session.read(
                """
                SELECT \(PendingCredential.columns) FROM pending_credentials
                WHERE digest = ?1 AND client = ?2 AND expires_at > ?3
                """, claim.key + [.time(now)]
            ).first
            guard let found else { return try session.absence(of: claim) }
            let pending = try PendingCredential(row: found, as: claim.record, of: claim.client)
            return claim.refusal(of: pending) ?? .redeemed(pending)
        }
    }

    package func redeem(
        _ claim: PendingCredentialClaim, at now: NumericDate
    ) async throws(StoreError) -> PendingCredentialOutcome {
        try await transaction { session in
            // This one statement decides which of several callers is the first: a second one waits for it, then finds
            // nothing.
            let taken = try session.write(
                """
                DELETE FROM pending_credentials WHERE digest = ?1 AND client = ?2 AND expires_at > ?3
                RETURNING \(PendingCredential.columns)
                """, claim.key + [.time(now)]
            ).rows.first
            guard let taken else { return .undo(try session.absence(of: claim)) }
            let pending = try PendingCredential(row: taken, as: claim.record, of: claim.client)
            // A mismatch rolls back the whole transaction, including the deletion.
            if let refusal = claim.refusal(of: pending) { return .undo(refusal) }
            guard try session.spend(claim.record, at: now) == nil else { return .undo(.replayed) }
            return .keep(.redeemed(pending))
        }
    }

    package func giveBack(_ pending: PendingCredential) async throws(StoreError) {
        try await transaction { session in
            // Use the order of redeeming, so that two transactions cannot deadlock.
            try session.insert(pending)
            try session.forget(pending.record)
            return .keep(())
        }
    }

    package func sweepPendingCredentials(
        expiredBefore moment: NumericDate, atMost limit: Int
    ) async throws(StoreError) -> Int {
        try await perform { try $0.sweep("pending_credentials", before: moment, atMost: limit) }
    }
}

extension SQLSession {
    /// The reason why nothing was redeemed.
    fileprivate func absence(of claim: PendingCredentialClaim) throws -> PendingCredentialOutcome {
        if try isSpent(claim.record) { return .replayed }
        let rows = try read("SELECT expires_at FROM pending_credentials WHERE digest = ?1 AND client = ?2", claim.key)
        if !rows.isEmpty { return .expired }
        // Another caller may have redeemed the credential since the first query.
        return try isSpent(claim.record) ? .replayed : .unknown
    }

    fileprivate func insert(_ pending: PendingCredential) throws {
        let uids = pending.uids.map { Base64URL.encode(Array($0.text.utf8)) }
        try write(
            """
            INSERT INTO pending_credentials (digest, client, \(PendingCredential.columns))
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """,
            [
                .bytes(pending.record.digest), .octets(pending.client), .octets(pending.provider),
                .octets(pending.uses.map(\.rawValue).sorted().joined(separator: " ")),
                .octets(uids.joined(separator: " ")), .octets(pending.holder), .octets(pending.payload),
                .time(pending.expiresAt),
            ])
    }
}

extension PendingCredentialClaim {
    fileprivate var key: [SQLValue] { [.bytes(record.digest), .octets(client)] }
}

extension PendingCredential {
    /// The columns in the order in which ``init(row:as:of:)`` reads them.
    ///
    /// `uids` contains the uids in base64url, because a uid may contain the space that separates them.
    fileprivate static let columns = "provider, uses, uids, holder, payload, expires_at"

    fileprivate init(row: any SQLRow, as record: SpentRecord, of client: ClientID) throws(StoreError) {
        guard let uses = row.text(1), let list = row.text(2), let payload = row.text(4), let expiresAt = row.time(5)
        else { throw .corrupt }
        var uids: [UID] = []
        for text in list.split(separator: " ") {
            guard let octets = try? Base64URL.decode(String(text)) else { throw .corrupt }
            uids.append(try UID(octets: octets))
        }
        self.init(
            record: record, client: client, provider: try row.identifier(0),
            uses: Set(uses.split(separator: " ").compactMap { Use(rawValue: String($0)) }), uids: uids,
            holder: try row.optionalIdentifier(3), payload: payload, expiresAt: expiresAt)
    }
}
