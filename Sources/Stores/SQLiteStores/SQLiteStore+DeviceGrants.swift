internal import Foundation
internal import GRDB
package import JOSE
package import Stores

extension SQLiteStore: DeviceGrants {
    package func keep(_ grant: DeviceGrant, as record: SpentRecord) async throws(StoreError) -> Bool {
        try await writes.write { db in .keep(try Self.insert(grant, record, state: .pending, payload: nil, db)) }
    }

    package func deviceGrant(
        userCodeDigest: [UInt8], at now: NumericDate
    ) async throws(StoreError) -> (grant: DeviceGrant, state: DeviceGrantState)? {
        try await writes.read { db in
            let row = try Row.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT user_code_digest, client, provider, scope, state, expires_at
                        FROM device_grants WHERE user_code_digest = ? AND expires_at > ?
                        """),
                arguments: [Data(userCodeDigest), now.seconds])
            return try row.map { (try DeviceGrant($0), try DeviceGrantState($0)) }
        }
    }

    package func claim(
        userCodeDigest: [UInt8], owner: [UInt8], at now: NumericDate
    ) async throws(StoreError) -> Bool {
        try await change(
            """
            UPDATE device_grants SET state = 'claimed', owner = :owner, payload = NULL, payload_digest = NULL
            WHERE user_code_digest = :code AND expires_at > :now
                AND (state = 'pending' OR (state IN ('claimed', 'verified') AND owner = :owner))
            """, userCodeDigest, owner, now)
    }

    package func verify(
        userCodeDigest: [UInt8], owner: [UInt8], payload: String, payloadDigest: [UInt8], at now: NumericDate
    ) async throws(StoreError) -> Bool {
        try await change(
            """
            UPDATE device_grants SET state = 'verified', payload = :payload, payload_digest = :digest
            WHERE user_code_digest = :code AND expires_at > :now AND state = 'claimed' AND owner = :owner
            """, userCodeDigest, owner, now, further: ["payload": payload, "digest": Data(payloadDigest)])
    }

    package func approve(
        userCodeDigest: [UInt8], owner: [UInt8], payloadDigest: [UInt8], at now: NumericDate
    ) async throws(StoreError) -> Bool {
        try await change(
            """
            UPDATE device_grants SET state = 'approved'
            WHERE user_code_digest = :code AND expires_at > :now AND state = 'verified' AND owner = :owner
                AND payload_digest = :digest
            """, userCodeDigest, owner, now, further: ["digest": Data(payloadDigest)])
    }

    package func deny(
        userCodeDigest: [UInt8], owner: [UInt8], because denial: DeviceDenial, at now: NumericDate
    ) async throws(StoreError) -> Bool {
        try await change(
            """
            UPDATE device_grants SET state = 'denied', owner = :owner, payload = :denial
            WHERE user_code_digest = :code AND expires_at > :now
                AND (state = 'pending' OR (state IN ('claimed', 'verified') AND owner = :owner))
            """, userCodeDigest, owner, now, further: ["denial": denial.text])
    }

    /// Runs an update, and returns whether the row was in a state that permits it.
    private func change(
        _ sql: String, _ userCodeDigest: [UInt8], _ owner: [UInt8], _ now: NumericDate,
        further: [String: (any DatabaseValueConvertible & Sendable)?] = [:]
    ) async throws(StoreError) -> Bool {
        var arguments = StatementArguments([
            "code": Data(userCodeDigest), "owner": Data(owner), "now": now.seconds,
        ])
        arguments += StatementArguments(further)
        return try await writes.write { [arguments] db in
            try db.cachedStatement(sql: sql).execute(arguments: arguments)
            return .keep(db.changesCount == 1)
        }
    }

    package func giveBack(
        _ grant: DeviceGrant, as record: SpentRecord, payload: String
    ) async throws(StoreError) {
        try await writes.write { db in
            try Self.forget(record, db)
            guard try Self.insert(grant, record, state: .approved, payload: payload, db)
            else { throw StoreError.unavailable(.other) }
            return .keep(())
        }
    }

    package func sweepDeviceGrants(
        expiredBefore moment: NumericDate, atMost limit: Int
    ) async throws(StoreError) -> Int {
        try await writes.write { db in
            try db.cachedStatement(
                sql: """
                    DELETE FROM device_grants WHERE digest IN (
                        SELECT digest FROM device_grants WHERE expires_at < ? ORDER BY expires_at LIMIT ?)
                    """
            ).execute(arguments: [moment.seconds, max(0, limit)])
            return .keep(db.changesCount)
        }
    }

    private static func insert(
        _ grant: DeviceGrant, _ record: SpentRecord, state: DeviceGrantState, payload: String?, _ db: Database
    ) throws -> Bool {
        try db.cachedStatement(
            sql: """
                INSERT INTO device_grants (
                    digest, user_code_digest, client, provider, scope, state, payload, interval, expires_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """
        ).execute(arguments: [
            Data(record.digest), Data(grant.userCodeDigest), Data(grant.client.utf8),
            grant.provider.map { Data($0.utf8) }, grant.scopes.joined(separator: " "),
            state.rawValue, payload, DevicePollInterval.initial, grant.expiresAt.seconds,
        ])
        return db.changesCount == 1
    }
}

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
                let denial = DeviceDenial(text: String.fromDatabaseValue(row["payload"]))
                return try Self.take(record, at: now, db) ? .keep(.denied(denial)) : .undo(.replayed)
            }
        }
    }

    /// Records a poll.
    ///
    /// A device that polls too fast receives `slow_down` and a longer interval (RFC 8628 §3.5).
    private static func counted(
        _ record: SpentRecord, _ row: Row, at now: NumericDate, _ db: Database
    ) throws -> DevicePoll {
        guard let interval = Int64.fromDatabaseValue(row["interval"]) else { throw StoreError.corrupt }
        let polledAt = Int64.fromDatabaseValue(row["polled_at"])
        let isTooFast = polledAt.map { now.seconds - $0 < interval } ?? false
        let next = isTooFast ? min(interval + DevicePollInterval.step, DevicePollInterval.longest) : interval
        // At the longest interval nothing changes, so that a device that polls too often causes no commits.
        if isTooFast, interval == DevicePollInterval.longest { return .slowDown }
        try db.cachedStatement(sql: "UPDATE device_grants SET polled_at = ?, interval = ? WHERE digest = ?")
            .execute(arguments: [now.seconds, next, Data(record.digest)])
        return isTooFast ? .slowDown : .pending
    }

    /// Removes the grant and spends its code.
    ///
    /// - Returns: `false` if the grant was already removed or its code already spent.
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
