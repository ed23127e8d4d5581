internal import Foundation
internal import GRDB
package import JOSE
package import Stores

extension SQLiteStore: Handoffs {
    package func keep(_ handoff: Handoff) async throws(StoreError) {
        try await writes.write { db in
            try Self.insert(handoff, db)
            return .keep(())
        }
    }

    package func redeem(_ claim: HandoffClaim, at now: NumericDate) async throws(StoreError) -> HandoffOutcome {
        let digest = Data(claim.record.digest)
        return try await writes.write { db in
            // This one statement decides which caller is first.
            let taken = try Row.fetchOne(
                db.cachedStatement(
                    sql: """
                        DELETE FROM handoffs
                        WHERE digest = ? AND client = ? AND redirect_uri = ? AND code_challenge = ? AND expires_at > ?
                        RETURNING payload, expires_at
                        """),
                arguments: [
                    digest, Data(claim.client.utf8), Data(claim.redirectURI.utf8), Data(claim.codeChallenge.utf8),
                    now.seconds,
                ])
            if let taken {
                guard try Self.spend(claim.record, at: now, db) == nil else { return .undo(.replayed) }
                guard let payload = String.fromDatabaseValue(taken["payload"]),
                    let expiresAt = Int64.fromDatabaseValue(taken["expires_at"])
                else { throw StoreError.corrupt }
                return .keep(
                    .redeemed(
                        Handoff(
                            record: claim.record, client: claim.client, redirectURI: claim.redirectURI,
                            codeChallenge: claim.codeChallenge, payload: payload, expiresAt: NumericDate(expiresAt))))
            }
            return .keep(try Self.refusal(of: claim, digest, at: now, db))
        }
    }

    /// The reason why nothing was redeemed.
    ///
    /// A mismatch counts as a failure of the code.
    private static func refusal(
        of claim: HandoffClaim, _ digest: Data, at now: NumericDate, _ db: Database
    ) throws -> HandoffOutcome {
        if try isSpent(claim.record, db) { return .replayed }
        guard
            let row = try Row.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT client, redirect_uri, code_challenge, expires_at FROM handoffs WHERE digest = ?
                        """),
                arguments: [digest])
        else { return .unknown }
        guard let expiresAt = Int64.fromDatabaseValue(row["expires_at"]) else { throw StoreError.corrupt }
        if expiresAt <= now.seconds { return .expired }
        try db.cachedStatement(sql: "UPDATE handoffs SET failures = failures + 1 WHERE digest = ?")
            .execute(arguments: [digest])
        try db.cachedStatement(sql: "DELETE FROM handoffs WHERE digest = ? AND failures >= ?")
            .execute(arguments: [digest, HandoffClaim.tries])
        let holder = Data.fromDatabaseValue(row["client"])
        guard Data.fromDatabaseValue(row["redirect_uri"]) == Data(claim.redirectURI.utf8)
        else { return .otherHolder(keptFor: nil) }
        guard holder != Data(claim.client.utf8) else { return .otherCodeChallenge }
        let isProven = Data.fromDatabaseValue(row["code_challenge"]) == Data(claim.codeChallenge.utf8)
        return .otherHolder(keptFor: isProven ? holder.map { String(decoding: $0, as: UTF8.self) } : nil)
    }

    package func giveBack(_ handoff: Handoff) async throws(StoreError) {
        try await writes.write { db in
            try Self.forget(handoff.record, db)
            try Self.insert(handoff, db)
            return .keep(())
        }
    }

    package func sweepHandoffs(
        expiredBefore moment: NumericDate, atMost limit: Int
    ) async throws(StoreError) -> Int {
        try await writes.write { db in
            try db.cachedStatement(
                sql: """
                    DELETE FROM handoffs WHERE digest IN (
                        SELECT digest FROM handoffs WHERE expires_at < ? ORDER BY expires_at LIMIT ?)
                    """
            ).execute(arguments: [moment.seconds, max(0, limit)])
            return .keep(db.changesCount)
        }
    }

    private static func insert(_ handoff: Handoff, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO handoffs (digest, client, redirect_uri, code_challenge, payload, expires_at)
                VALUES (?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            Data(handoff.record.digest), Data(handoff.client.utf8), Data(handoff.redirectURI.utf8),
            Data(handoff.codeChallenge.utf8), handoff.payload, handoff.expiresAt.seconds,
        ])
    }
}
