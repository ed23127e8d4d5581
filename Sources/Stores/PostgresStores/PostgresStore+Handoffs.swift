package import JOSE
internal import Postgres
package import Stores

extension PostgresStore: Handoffs {
    package func keep(_ handoff: Handoff) async throws(StoreError) {
        try await perform { try Self.insert(handoff, &$0) }
    }

    package func redeem(_ claim: HandoffClaim, at now: NumericDate) async throws(StoreError) -> HandoffOutcome {
        try await transaction { connection in
            // This one statement decides which caller is first: a second one waits for it, then finds nothing.
            let taken = try connection.run(
                .writing(
                    """
                    DELETE FROM handoffs
                    WHERE digest = $1 AND client = $2 AND redirect_uri = $3 AND code_challenge = $4 AND expires_at > $5
                    RETURNING payload, expires_at
                    """),
                [
                    .bytes(claim.record.digest), .bytes(of: claim.client), .bytes(of: claim.redirectURI),
                    .bytes(of: claim.codeChallenge), .integer(now.seconds),
                ]
            ).rows.first
            guard let taken else { return try Self.refusal(of: claim, at: now, &connection) }
            guard try Self.spend(claim.record, at: now, &connection) == nil else { return .undo(.replayed) }
            guard let payload = taken.text(0), let expiresAt = taken.integer(1) else { throw StoreError.corrupt }
            return .keep(
                .redeemed(
                    Handoff(
                        record: claim.record, client: claim.client, redirectURI: claim.redirectURI,
                        codeChallenge: claim.codeChallenge, payload: payload, expiresAt: NumericDate(expiresAt))))
        }
    }

    /// The reason why nothing was redeemed.
    ///
    /// A mismatch counts as a failure of the code.
    private static func refusal(
        of claim: HandoffClaim, at now: NumericDate, _ connection: inout Connection
    ) throws -> Outcome<HandoffOutcome> {
        let digest = Value.bytes(claim.record.digest)
        if try isSpent(claim.record, &connection) { return .undo(.replayed) }
        let counted = try connection.run(
            .writing(
                """
                UPDATE handoffs SET failures = failures + 1 WHERE digest = $1 AND expires_at > $2
                RETURNING client, redirect_uri, code_challenge
                """), [digest, .integer(now.seconds)]
        ).rows.first
        guard let counted else {
            let isThere = try connection.run(.reading("SELECT expires_at FROM handoffs WHERE digest = $1"), [digest])
            if isThere.count == 1 { return .undo(.expired) }
            // Another caller may have redeemed the handoff since the first query.
            return .undo(try isSpent(claim.record, &connection) ? .replayed : .unknown)
        }
        try connection.run(
            .writing("DELETE FROM handoffs WHERE digest = $1 AND failures >= $2"),
            [digest, .integer(Int64(HandoffClaim.tries))])
        let holder = counted.bytes(0)
        guard counted.bytes(1) == Array(claim.redirectURI.utf8) else { return .keep(.otherHolder(keptFor: nil)) }
        guard holder != Array(claim.client.utf8) else { return .keep(.otherCodeChallenge) }
        let isProven = counted.bytes(2) == Array(claim.codeChallenge.utf8)
        return .keep(.otherHolder(keptFor: isProven ? holder.map { String(decoding: $0, as: UTF8.self) } : nil))
    }

    package func giveBack(_ handoff: Handoff) async throws(StoreError) {
        try await transaction { connection in
            // Use the order of redeeming, so that two transactions cannot deadlock.
            try Self.insert(handoff, &connection)
            try Self.forget(handoff.record, &connection)
            return .keep(())
        }
    }

    package func sweepHandoffs(
        expiredBefore moment: NumericDate, atMost limit: Int
    ) async throws(StoreError) -> Int {
        try await perform { connection in
            try connection.run(
                .writing(
                    """
                    DELETE FROM handoffs WHERE digest IN (
                        SELECT digest FROM handoffs WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)
                    """),
                [.integer(moment.seconds), .integer(Int64(max(0, limit)))]
            ).count
        }
    }

    private static func insert(_ handoff: Handoff, _ connection: inout Connection) throws {
        try connection.run(
            .writing(
                """
                INSERT INTO handoffs (digest, client, redirect_uri, code_challenge, payload, expires_at)
                VALUES ($1, $2, $3, $4, $5, $6)
                """),
            [
                .bytes(handoff.record.digest), .bytes(of: handoff.client), .bytes(of: handoff.redirectURI),
                .bytes(of: handoff.codeChallenge), .bytes(of: handoff.payload), .integer(handoff.expiresAt.seconds),
            ])
    }
}
