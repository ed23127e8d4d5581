package import JOSE
package import Standards

/// The device grants.
extension SQLStore {
    package func keep(_ grant: DeviceGrant, as record: SpentRecord) async throws(StoreError) -> Bool {
        try await perform { try $0.insert(grant, record, state: .pending, payload: nil) }
    }

    package func deviceGrant(
        userCodeDigest: [UInt8], at now: NumericDate
    ) async throws(StoreError) -> (grant: DeviceGrant, state: DeviceGrantState)? {
        try await read { session in
            try session.read(
                """
                SELECT \(DeviceGrant.columns) FROM device_grants WHERE user_code_digest = ?1 AND expires_at > ?2
                """, [.bytes(userCodeDigest), .time(now)]
            ).first.map { (try DeviceGrant($0), try DeviceGrantState($0)) }
        }
    }

    package func claim(
        userCodeDigest: [UInt8], owner: [UInt8], at now: NumericDate
    ) async throws(StoreError) -> Bool {
        try await change(
            """
            UPDATE device_grants SET state = 'claimed', owner = ?2, payload = NULL, payload_digest = NULL
            WHERE user_code_digest = ?1 AND expires_at > ?3
                AND (state = 'pending' OR (state IN ('claimed', 'verified') AND owner = ?2))
            """, [.bytes(userCodeDigest), .bytes(owner), .time(now)])
    }

    package func verify(
        userCodeDigest: [UInt8], owner: [UInt8], payload: String, payloadDigest: [UInt8], at now: NumericDate
    ) async throws(StoreError) -> Bool {
        try await change(
            """
            UPDATE device_grants SET state = 'verified', payload = ?4, payload_digest = ?5
            WHERE user_code_digest = ?1 AND expires_at > ?3 AND state = 'claimed' AND owner = ?2
            """, [.bytes(userCodeDigest), .bytes(owner), .time(now), .content(payload), .bytes(payloadDigest)])
    }

    package func approve(
        userCodeDigest: [UInt8], owner: [UInt8], payloadDigest: [UInt8], at now: NumericDate
    ) async throws(StoreError) -> Bool {
        try await change(
            """
            UPDATE device_grants SET state = 'approved'
            WHERE user_code_digest = ?1 AND expires_at > ?3 AND state = 'verified' AND owner = ?2
                AND payload_digest = ?4
            """, [.bytes(userCodeDigest), .bytes(owner), .time(now), .bytes(payloadDigest)])
    }

    package func deny(
        userCodeDigest: [UInt8], owner: [UInt8], because denial: DeviceDenial, at now: NumericDate
    ) async throws(StoreError) -> Bool {
        try await change(
            """
            UPDATE device_grants SET state = 'denied', owner = ?2, payload = ?4
            WHERE user_code_digest = ?1 AND expires_at > ?3
                AND (state = 'pending' OR (state IN ('claimed', 'verified') AND owner = ?2))
            """, [.bytes(userCodeDigest), .bytes(owner), .time(now), .content(denial.text)])
    }

    /// Runs an update, and returns whether the row was in a state that permits it.
    ///
    /// A statement that waited for another transaction checks its condition again on the changed row.
    private func change(_ sql: String, _ values: [SQLValue]) async throws(StoreError) -> Bool {
        try await perform { try $0.write(sql, values).count == 1 }
    }

    package func giveBack(
        _ grant: DeviceGrant, as record: SpentRecord, payload: String
    ) async throws(StoreError) {
        try await transaction { session in
            // Use the order of a poll, so that two transactions cannot deadlock.
            guard try session.insert(grant, record, state: .approved, payload: payload)
            else { throw StoreError.unavailable(.other) }
            try session.forget(record)
            return .keep(())
        }
    }

    package func sweepDeviceGrants(
        expiredBefore moment: NumericDate, atMost limit: Int
    ) async throws(StoreError) -> Int {
        try await perform { try $0.sweep("device_grants", before: moment, atMost: limit) }
    }

    package func poll(
        _ record: SpentRecord, client: ClientID, at now: NumericDate
    ) async throws(StoreError) -> DevicePoll {
        try await transaction { session in
            // The row is locked, so that concurrent polls of one device run one after another.
            let row = try session.write(
                """
                SELECT \(DeviceGrant.columns), payload, \(Session.pollInterval), polled_at FROM device_grants
                WHERE digest = ?1 AND client = ?2\(Session.rowLock)
                """, [.bytes(record.digest), .octets(client)]
            ).rows.first
            guard let row else { return .undo(try session.isSpent(record) ? .replayed : .unknown) }
            let grant = try DeviceGrant(row)
            guard now < grant.expiresAt else { return .undo(.expired) }
            switch try DeviceGrantState(row) {
            case .pending, .claimed, .verified:
                return try session.counted(record, row, at: now)
            case .approved:
                guard let payload = row.text(6) else { throw StoreError.corrupt }
                let isTaken = try session.take(record, at: now)
                return isTaken ? .keep(.redeemed(grant, payload: payload)) : .undo(.replayed)
            case .denied:
                let denial = DeviceDenial(text: row.text(6))
                return try session.take(record, at: now) ? .keep(.denied(denial)) : .undo(.replayed)
            }
        }
    }
}

extension SQLSession {
    fileprivate func insert(
        _ grant: DeviceGrant, _ record: SpentRecord, state: DeviceGrantState, payload: String?
    ) throws -> Bool {
        try write(
            """
            INSERT INTO device_grants (
                digest, user_code_digest, client, provider, scope, state, payload, \(Self.pollInterval), expires_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT DO NOTHING
            """,
            [
                .bytes(record.digest), .bytes(grant.userCodeDigest), .octets(grant.client), .octets(grant.provider),
                .content(grant.scopes.joined(separator: " ")), .text(state.rawValue), .content(payload),
                .integer(DevicePollInterval.initial), .time(grant.expiresAt),
            ]
        ).count == 1
    }

    /// Records a poll.
    fileprivate func counted(
        _ record: SpentRecord, _ row: any SQLRow, at now: NumericDate
    ) throws -> Outcome<DevicePoll> {
        guard let interval = row.integer(7) else { throw StoreError.corrupt }
        guard let (answer, next) = DevicePollInterval.counting(interval, since: row.time(8), at: now)
        else { return .undo(.slowDown) }
        try write(
            "UPDATE device_grants SET polled_at = ?2, \(Self.pollInterval) = ?3 WHERE digest = ?1",
            [.bytes(record.digest), .time(now), .integer(next)])
        return .keep(answer)
    }

    /// Removes the grant and spends its code.
    ///
    /// - Returns: `false` if the grant was already removed or its code already spent.
    fileprivate func take(_ record: SpentRecord, at now: NumericDate) throws -> Bool {
        guard try write("DELETE FROM device_grants WHERE digest = ?1", [.bytes(record.digest)]).count == 1
        else { return false }
        return try spend(record, at: now) == nil
    }
}

extension DeviceGrant {
    /// The columns that ``init(_:)`` and ``DeviceGrantState/init(_:)`` read, in this order.
    fileprivate static let columns = "user_code_digest, client, provider, scope, state, expires_at"

    fileprivate init(_ row: any SQLRow) throws {
        guard let userCodeDigest = row.bytes(0), let scope = row.text(3), let expiresAt = row.time(5)
        else { throw StoreError.corrupt }
        self.init(
            userCodeDigest: userCodeDigest, client: try row.identifier(1), provider: try row.optionalIdentifier(2),
            scopes: scope.split(separator: " ").map(String.init), expiresAt: expiresAt)
    }
}

extension DeviceGrantState {
    fileprivate init(_ row: any SQLRow) throws {
        guard let state = row.text(4).flatMap(Self.init(rawValue:)) else { throw StoreError.corrupt }
        self = state
    }
}
