internal import Postgres
package import Stores

extension PostgresStore: StoreHealth {
    package func check() async throws(StoreError) {
        let written = try await perform { connection in
            try Self.beats(&connection, .writing("UPDATE heartbeat SET beats = beats + 1 RETURNING beats"))
        }
        let read = try await perform { try Self.beats(&$0, .reading("SELECT beats FROM heartbeat")) }
        // Other processes may have incremented the counter since, so it may be greater.
        guard read >= written else { throw .unavailable(.other) }
    }

    private static func beats(_ connection: inout Connection, _ statement: Statement) throws -> Int64 {
        guard let beats = try connection.run(statement).rows.first?.integer(0) else { throw StoreError.corrupt }
        return beats
    }
}

extension PostgresStore: StoreStatistics {
    package var waitingCalls: Int { pool.waiting }

    package func spentRows() async throws(StoreError) -> Int {
        try await perform { connection in
            let rows = try connection.run(.reading("SELECT count(*) FROM spent")).rows
            return Int(clamping: rows.first?.integer(0) ?? 0)
        }
    }
}

/// The settings of a session, as the server reports them.
package struct PostgresSettings: Sendable, Equatable {
    /// The value of `synchronous_commit`.
    ///
    /// With `on` or `remote_apply` a commit is on disk when it returns, also on a synchronous standby.
    package let synchronousCommit: String
    /// Whether `fsync` is on; `nil` if the server has no such setting.
    package let syncsToDisk: Bool?
    package let isReadOnly: Bool
    /// The timeouts in milliseconds or with a unit, as the server writes them.
    package let statementTimeout: String
    package let lockTimeout: String
    package let idleInTransactionTimeout: String
    package let applicationName: String

    init(of connection: inout Connection) throws(PostgresError) {
        let names = [
            "synchronous_commit", "fsync", "transaction_read_only", "statement_timeout", "lock_timeout",
            "idle_in_transaction_session_timeout", "application_name",
        ]
        // With `true` an unknown setting is null instead of an error.
        let columns = names.map { "current_setting('\($0)', true)" }.joined(separator: ", ")
        guard let row = try connection.run(.reading("SELECT " + columns)).rows.first else { throw .unexpectedAnswer }
        synchronousCommit = row.text(0) ?? ""
        syncsToDisk = row.text(1).map { $0 == "on" }
        isReadOnly = row.text(2) == "on"
        statementTimeout = row.text(3) ?? ""
        lockTimeout = row.text(4) ?? ""
        idleInTransactionTimeout = row.text(5) ?? ""
        applicationName = row.text(6) ?? ""
    }
}
