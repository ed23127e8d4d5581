internal import Postgres

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
