internal import Foundation
internal import GRDB
package import JOSE
package import Stores

extension SQLiteStore {
    package func poll(
        _ record: SpentRecord, client: String, at now: NumericDate
    ) async throws(StoreError) -> DevicePoll {
        try await writes.write { db in
            let row = try Row.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT user_code_digest, client, provider, scope, state, payload, interval, polled_at,
                            expires_at
                        FROM device_grants WHERE digest = ? AND client = ?
                        """),
                arguments: [Data(record.digest), Data(client.utf8)])
            guard let row else { return .keep(try Self.isSpent(record, db) ? .replayed : .unknown) }
            let grant = try DeviceGrant(row)
            guard now < grant.expiresAt else { return .keep(.expired) }
            switch try DeviceGrantState(row) {
            case .pending, .claimed, .verified:
                return .keep(try Self.counted(record, row, at: now, db))
            case .approved:
                guard let payload = String.fromDatabaseValue(row["payload"]) else { throw StoreError.corrupt }
                return try Self.take(record, at: now, db) ? .keep(.redeemed(grant, payload: payload)) : .undo(.replayed)
            case .denied:
                return try Self.take(record, at: now, db) ? .keep(.denied) : .undo(.replayed)
            }
        }
    }

    /// RFC 8628 §3.5: too fast is told so, and from then on has to wait longer.
    private static func counted(
        _ record: SpentRecord, _ row: Row, at now: NumericDate, _ db: Database
    ) throws -> DevicePoll {
        guard let interval = Int64.fromDatabaseValue(row["interval"]) else { throw StoreError.corrupt }
        let polledAt = Int64.fromDatabaseValue(row["polled_at"])
        let isTooFast = polledAt.map { now.seconds - $0 < interval } ?? false
        let next = isTooFast ? min(interval + DevicePollInterval.step, DevicePollInterval.longest) : interval
        // Nothing changes any more, and a device that polls too often costs no commit.
        if isTooFast, interval == DevicePollInterval.longest { return .slowDown }
        try db.cachedStatement(sql: "UPDATE device_grants SET polled_at = ?, interval = ? WHERE digest = ?")
            .execute(arguments: [now.seconds, next, Data(record.digest)])
        return isTooFast ? .slowDown : .pending
    }

    /// Whether this call is the one that ends the grant.
    private static func take(_ record: SpentRecord, at now: NumericDate, _ db: Database) throws -> Bool {
        try db.cachedStatement(sql: "DELETE FROM device_grants WHERE digest = ?")
            .execute(arguments: [Data(record.digest)])
        guard db.changesCount == 1 else { return false }
        return try spend(record, at: now, db) == nil
    }
}

extension DeviceGrant {
    init(_ row: Row) throws {
        guard
            let userCodeDigest = Data.fromDatabaseValue(row["user_code_digest"]),
            let client = Data.fromDatabaseValue(row["client"]),
            let scope = String.fromDatabaseValue(row["scope"]),
            let expiresAt = Int64.fromDatabaseValue(row["expires_at"])
        else { throw StoreError.corrupt }
        self.init(
            userCodeDigest: Array(userCodeDigest), client: String(decoding: client, as: UTF8.self),
            provider: Data.fromDatabaseValue(row["provider"]).map { String(decoding: $0, as: UTF8.self) },
            scopes: scope.split(separator: " ").map(String.init), expiresAt: NumericDate(expiresAt))
    }
}

extension DeviceGrantState {
    init(_ row: Row) throws {
        guard let state = String.fromDatabaseValue(row["state"]).flatMap(Self.init(rawValue:))
        else { throw StoreError.corrupt }
        self = state
    }
}
