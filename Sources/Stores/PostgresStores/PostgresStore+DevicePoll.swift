package import JOSE
internal import Postgres
package import Stores

extension PostgresStore {
    package func poll(
        _ record: SpentRecord, client: String, at now: NumericDate
    ) async throws(StoreError) -> DevicePoll {
        try await transaction { connection in
            // Locked, so that polls of one device come one after another.
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
                return try Self.take(record, at: now, &connection) ? .keep(.denied) : .undo(.replayed)
            }
        }
    }

    /// RFC 8628 §3.5: too fast is told so, and from then on has to wait longer.
    private static func counted(
        _ record: SpentRecord, _ row: Row, at now: NumericDate, _ connection: inout Connection
    ) throws -> Outcome<DevicePoll> {
        guard let interval = row.integer(7) else { throw StoreError.corrupt }
        let isTooFast = row.integer(8).map { now.seconds - $0 < interval } ?? false
        let next = isTooFast ? min(interval + DevicePollInterval.step, DevicePollInterval.longest) : interval
        // Nothing changes any more, and a device that polls too often costs no commit.
        if isTooFast, interval == DevicePollInterval.longest { return .undo(.slowDown) }
        try connection.run(
            .writing("UPDATE device_grants SET polled_at = $2, poll_interval = $3 WHERE digest = $1"),
            [.bytes(record.digest), .integer(now.seconds), .integer(next)])
        return .keep(isTooFast ? .slowDown : .pending)
    }

    /// Whether this call is the one that ends the grant.
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
