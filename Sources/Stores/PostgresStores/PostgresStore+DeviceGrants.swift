package import JOSE
internal import Postgres
package import Stores

extension PostgresStore: DeviceGrants {
    package func keep(_ grant: DeviceGrant, as record: SpentRecord) async throws(StoreError) -> Bool {
        try await perform { try Self.insert(grant, record, state: .pending, payload: nil, &$0) }
    }

    package func deviceGrant(
        userCodeDigest: [UInt8], at now: NumericDate
    ) async throws(StoreError) -> (grant: DeviceGrant, state: DeviceGrantState)? {
        try await perform { connection in
            let row = try connection.run(
                .reading(
                    """
                    SELECT user_code_digest, client, provider, scope, state, expires_at
                    FROM device_grants WHERE user_code_digest = $1 AND expires_at > $2
                    """), [.bytes(userCodeDigest), .integer(now.seconds)]
            ).rows.first
            return try row.map { (try DeviceGrant($0), try DeviceGrantState($0)) }
        }
    }

    package func claim(
        userCodeDigest: [UInt8], owner: [UInt8], at now: NumericDate
    ) async throws(StoreError) -> Bool {
        try await change(
            """
            UPDATE device_grants SET state = 'claimed', owner = $2, payload = NULL, payload_digest = NULL
            WHERE user_code_digest = $1 AND expires_at > $3
                AND (state = 'pending' OR (state IN ('claimed', 'verified') AND owner = $2))
            """, [.bytes(userCodeDigest), .bytes(owner), .integer(now.seconds)])
    }

    package func verify(
        userCodeDigest: [UInt8], owner: [UInt8], payload: String, payloadDigest: [UInt8], at now: NumericDate
    ) async throws(StoreError) -> Bool {
        try await change(
            """
            UPDATE device_grants SET state = 'verified', payload = $4, payload_digest = $5
            WHERE user_code_digest = $1 AND expires_at > $3 AND state = 'claimed' AND owner = $2
            """,
            [
                .bytes(userCodeDigest), .bytes(owner), .integer(now.seconds), .bytes(of: payload),
                .bytes(payloadDigest),
            ])
    }

    package func approve(
        userCodeDigest: [UInt8], owner: [UInt8], payloadDigest: [UInt8], at now: NumericDate
    ) async throws(StoreError) -> Bool {
        try await change(
            """
            UPDATE device_grants SET state = 'approved'
            WHERE user_code_digest = $1 AND expires_at > $3 AND state = 'verified' AND owner = $2
                AND payload_digest = $4
            """, [.bytes(userCodeDigest), .bytes(owner), .integer(now.seconds), .bytes(payloadDigest)])
    }

    package func deny(
        userCodeDigest: [UInt8], owner: [UInt8], because denial: DeviceDenial, at now: NumericDate
    ) async throws(StoreError) -> Bool {
        try await change(
            """
            UPDATE device_grants SET state = 'denied', owner = $2, payload = $4
            WHERE user_code_digest = $1 AND expires_at > $3
                AND (state = 'pending' OR (state IN ('claimed', 'verified') AND owner = $2))
            """,
            [
                .bytes(userCodeDigest), .bytes(owner), .integer(now.seconds),
                .bytes(denial.text.map { Array($0.utf8) }),
            ])
    }

    /// Runs an update, and returns whether the row was in a state that permits it.
    ///
    /// A statement that waited for another transaction checks its condition again on the changed row.
    private func change(_ sql: String, _ values: [Value]) async throws(StoreError) -> Bool {
        try await perform { try $0.run(.writing(sql), values).count == 1 }
    }

    package func giveBack(
        _ grant: DeviceGrant, as record: SpentRecord, payload: String
    ) async throws(StoreError) {
        try await transaction { connection in
            // Use the order of a poll, so that two transactions cannot deadlock.
            guard try Self.insert(grant, record, state: .approved, payload: payload, &connection)
            else { throw StoreError.unavailable(.other) }
            try Self.forget(record, &connection)
            return .keep(())
        }
    }

    package func sweepDeviceGrants(
        expiredBefore moment: NumericDate, atMost limit: Int
    ) async throws(StoreError) -> Int {
        try await perform { connection in
            try connection.run(
                .writing(
                    """
                    DELETE FROM device_grants WHERE digest IN (
                        SELECT digest FROM device_grants WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)
                    """),
                [.integer(moment.seconds), .integer(Int64(max(0, limit)))]
            ).count
        }
    }

    private static func insert(
        _ grant: DeviceGrant, _ record: SpentRecord, state: DeviceGrantState, payload: String?,
        _ connection: inout Connection
    ) throws -> Bool {
        try connection.run(
            .writing(
                """
                INSERT INTO device_grants (
                    digest, user_code_digest, client, provider, scope, state, payload, poll_interval, expires_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING
                """),
            [
                .bytes(record.digest), .bytes(grant.userCodeDigest), .bytes(of: grant.client),
                .bytes(grant.provider.map { Array($0.utf8) }), .bytes(of: grant.scopes.joined(separator: " ")),
                .text(state.rawValue), .bytes(payload.map { Array($0.utf8) }), .integer(DevicePollInterval.initial),
                .integer(grant.expiresAt.seconds),
            ]
        ).count == 1
    }
}

extension DeviceGrant {
    /// Reads the columns `user_code_digest`, `client`, `provider`, `scope`, `state`, `expires_at`, in this order.
    init(_ row: Row) throws {
        guard let userCodeDigest = row.bytes(0), let client = row.text(1), let scope = row.text(3),
            let expiresAt = row.integer(5)
        else { throw StoreError.corrupt }
        self.init(
            userCodeDigest: userCodeDigest, client: client, provider: row.text(2),
            scopes: scope.split(separator: " ").map(String.init), expiresAt: NumericDate(expiresAt))
    }
}

extension DeviceGrantState {
    /// Reads the state from the same columns.
    init(_ row: Row) throws {
        guard let state = row.text(4).flatMap(Self.init(rawValue:)) else { throw StoreError.corrupt }
        self = state
    }
}

extension PostgresStore {
    package func poll(
        _ record: SpentRecord, client: String, at now: NumericDate
    ) async throws(StoreError) -> DevicePoll {
        try await transaction { connection in
            // The row is locked, so that concurrent polls of one device run one after another.
            let row = try connection.run(
                .writing(
                    """
                    SELECT user_code_digest, client, provider, scope, state, expires_at, payload, poll_interval, polled_at
                    FROM device_grants WHERE digest = $1 AND client = $2 FOR UPDATE
                    """), [.bytes(record.digest), .bytes(of: client)]
            ).rows.first
            guard let row else { return .undo(try Self.isSpent(record, &connection) ? .replayed : .unknown) }
            let grant = try DeviceGrant(row)
            guard now < grant.expiresAt else { return .undo(.expired) }
            switch try DeviceGrantState(row) {
            case .pending, .claimed, .verified:
                return try Self.counted(record, row, at: now, &connection)
            case .approved:
                guard let payload = row.text(6) else { throw StoreError.corrupt }
                let isTaken = try Self.take(record, at: now, &connection)
                return isTaken ? .keep(.redeemed(grant, payload: payload)) : .undo(.replayed)
            case .denied:
                let denial = DeviceDenial(text: row.text(6))
                return try Self.take(record, at: now, &connection) ? .keep(.denied(denial)) : .undo(.replayed)
            }
        }
    }

    /// Records a poll.
    ///
    /// A device that polls too fast receives `slow_down` and a longer interval (RFC 8628 §3.5).
    private static func counted(
        _ record: SpentRecord, _ row: Row, at now: NumericDate, _ connection: inout Connection
    ) throws -> Outcome<DevicePoll> {
        guard let interval = row.integer(7) else { throw StoreError.corrupt }
        let isTooFast = row.integer(8).map { now.seconds - $0 < interval } ?? false
        let next = isTooFast ? min(interval + DevicePollInterval.step, DevicePollInterval.longest) : interval
        // At the longest interval nothing changes, so that a device that polls too often causes no commits.
        if isTooFast, interval == DevicePollInterval.longest { return .undo(.slowDown) }
        try connection.run(
            .writing("UPDATE device_grants SET polled_at = $2, poll_interval = $3 WHERE digest = $1"),
            [.bytes(record.digest), .integer(now.seconds), .integer(next)])
        return .keep(isTooFast ? .slowDown : .pending)
    }

    /// Removes the grant and spends its code.
    ///
    /// - Returns: `false` if the grant was already removed or its code already spent.
    private static func take(
        _ record: SpentRecord, at now: NumericDate, _ connection: inout Connection
    ) throws -> Bool {
        let isTaken =
            try connection.run(
                .writing("DELETE FROM device_grants WHERE digest = $1"), [.bytes(record.digest)]
            ).count == 1
        guard isTaken else { return false }
        return try spend(record, at: now, &connection) == nil
    }
}
