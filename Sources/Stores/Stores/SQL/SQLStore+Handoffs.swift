package import JOSE

/// The finished browser sign-ins.
extension SQLStore {
    package func keep(_ handoff: Handoff) async throws(StoreError) {
        try await perform { try $0.insert(handoff) }
    }

    package func redeem(_ claim: HandoffClaim, at now: NumericDate) async throws(StoreError) -> HandoffOutcome {
        try await transaction { session in
            // This one statement decides which caller is first: a second one waits for it, then finds nothing.
            let taken = try session.write(
                """
                DELETE FROM handoffs
                WHERE digest = ?1 AND client = ?2 AND redirect_uri = ?3 AND code_challenge = ?4 AND expires_at > ?5
                RETURNING payload, expires_at
                """,
                [
                    .bytes(claim.record.digest), .octets(claim.client), .octets(claim.redirectURI),
                    .octets(claim.codeChallenge), .time(now),
                ]
            ).rows.first
            guard let taken else { return try session.refusal(of: claim, at: now) }
            guard try session.spend(claim.record, at: now) == nil else { return .undo(.replayed) }
            guard let payload = taken.text(0), let expiresAt = taken.time(1) else { throw StoreError.corrupt }
            return .keep(
                .redeemed(
                    Handoff(
                        record: claim.record, client: claim.client, redirectURI: claim.redirectURI,
                        codeChallenge: claim.codeChallenge, payload: payload, expiresAt: expiresAt)))
        }
    }

    package func giveBack(_ handoff: Handoff) async throws(StoreError) {
        try await transaction { session in
            // Use the order of redeeming, so that two transactions cannot deadlock.
            try session.insert(handoff)
            try session.forget(handoff.record)
            return .keep(())
        }
    }

    package func sweepHandoffs(
        expiredBefore moment: NumericDate, atMost limit: Int
    ) async throws(StoreError) -> Int {
        try await perform { try $0.sweep("handoffs", before: moment, atMost: limit) }
    }
}

extension SQLSession {
    /// The reason why nothing was redeemed.
    ///
    /// A mismatch counts as a failure of the code.
    fileprivate func refusal(of claim: HandoffClaim, at now: NumericDate) throws -> Outcome<HandoffOutcome> {
        let digest = SQLValue.bytes(claim.record.digest)
        if try isSpent(claim.record) { return .undo(.replayed) }
        let counted = try write(
            """
            UPDATE handoffs SET failures = failures + 1 WHERE digest = ?1 AND expires_at > ?2
            RETURNING client, redirect_uri, code_challenge
            """, [digest, .time(now)]
        ).rows.first
        guard let counted else {
            let isThere = try !read("SELECT expires_at FROM handoffs WHERE digest = ?1", [digest]).isEmpty
            if isThere { return .undo(.expired) }
            // Another caller may have redeemed the handoff since the first query.
            return .undo(try isSpent(claim.record) ? .replayed : .unknown)
        }
        try write(
            "DELETE FROM handoffs WHERE digest = ?1 AND failures >= ?2",
            [digest, .integer(Int64(HandoffClaim.tries))])
        guard let client = counted.text(0), let redirectURI = counted.text(1), let codeChallenge = counted.text(2)
        else { throw StoreError.corrupt }
        let mismatch = claim.mismatch(client: client, redirectURI: redirectURI, codeChallenge: codeChallenge)
        // The row was made anew since the first statement, which did not find it.
        guard let mismatch else { return .undo(.unknown) }
        return .keep(mismatch)
    }

    fileprivate func insert(_ handoff: Handoff) throws {
        try write(
            """
            INSERT INTO handoffs (digest, client, redirect_uri, code_challenge, payload, expires_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """,
            [
                .bytes(handoff.record.digest), .octets(handoff.client), .octets(handoff.redirectURI),
                .octets(handoff.codeChallenge), .content(handoff.payload), .time(handoff.expiresAt),
            ])
    }
}
