internal import Postgres

/// What the server itself says about a session of ours.
package struct PostgresSettings: Sendable, Equatable {
    /// `on` or `remote_apply`: a commit has reached the disk when it returns, that of a synchronous standby too.
    package let synchronousCommit: String
    /// Nil where the server has no such setting.
    package let syncsToDisk: Bool?
    package let isReadOnly: Bool
    /// In milliseconds or with a unit, as the server writes them.
    package let statementTimeout: String
    package let lockTimeout: String
    package let idleInTransactionTimeout: String
    package let applicationName: String

    init(of connection: inout Connection) throws(PostgresError) {
        let names = [
            "synchronous_commit", "fsync", "transaction_read_only", "statement_timeout", "lock_timeout",
            "idle_in_transaction_session_timeout", "application_name",
        ]
        // With `true` a setting that is not known is null and no error.
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

/// What a session must be before anything is spent in it.
enum Session {
    static func open(
        _ string: ConnectionString, _ timeouts: ConnectionTimeouts
    ) throws(PostgresError) -> Connection {
        var connection = try Connection.open(string, name: "token-exchange", timeouts: timeouts)
        try makeDurable(&connection)
        return connection
    }

    /// Where a crash may undo a commit, what was used could be used again.
    ///
    /// Somebody who turned it off, for the server, the database, the role or in the connection string, meant it: that is
    /// refused, and not overruled.
    private static func makeDurable(_ connection: inout Connection) throws(PostgresError) {
        let found = try PostgresSettings(of: &connection)
        guard found.synchronousCommit != "off" else { throw .unfit(setting: "synchronous_commit") }
        guard found.syncsToDisk ?? true else { throw .unfit(setting: "fsync") }
        guard found.synchronousCommit != "remote_apply" else { return }
        // `local` and `remote_write` do not wait for the disk of a synchronous standby.
        try connection.run(script: "SET synchronous_commit = on")
        guard try PostgresSettings(of: &connection).synchronousCommit == "on"
        else { throw .unfit(setting: "synchronous_commit") }
    }
}
