internal import Glibc
internal import JOSE
internal import Postgres
internal import Stores

/// What a session must be before anything is spent in it.
enum Session {
    /// - Parameters:
    ///   - string: where the server is.
    ///   - timeouts: how long it may take.
    ///   - time: the clock of a store that watches: the server is compared with the one that the tables were last at.
    /// - Returns: a session that is fit for use.
    /// - Throws: ``PostgresError``.
    static func open(
        _ string: ConnectionString, _ timeouts: ConnectionTimeouts, watching time: TimeSource? = nil
    ) throws(PostgresError) -> Connection {
        var connection = try Connection.open(string, name: "token-exchange", timeouts: timeouts)
        try makeDurable(&connection)
        if let time { try admit(&connection, at: time) }
        return connection
    }

    private static func admit(_ connection: inout Connection, at time: TimeSource) throws(PostgresError) {
        do {
            try Attempts.run(&connection) { try WatchTables.admit(&$0, at: time.now()) }
        } catch let error as PostgresError {
            throw error
        } catch {
            // A row of ours is missing.
            throw .unexpectedAnswer
        }
    }

    /// Where a crash may undo a commit, what was used could be used again.
    ///
    /// An operator who turned it off, for the server, the database, the role or in the connection string, meant it:
    /// that is refused, and not overruled.
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

/// A transaction that the server ended for the sake of another one is begun anew, so many times.
enum Attempts {
    static let limit = 25

    /// What a stricter server would have said of a transaction that saw only half of another's work.
    static let overtaken = PostgresError.refused(SQLState("40001"), mayHaveCommitted: false)

    /// Only what was certainly rolled back is done again.
    ///
    /// - Parameters:
    ///   - connection: what it leaves open is rolled back.
    ///   - body: one transaction, or one statement.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws the last time.
    static func run<Value>(
        _ connection: inout Connection, _ body: (inout Connection) throws -> Value
    ) throws -> Value {
        for attempt in 1..<limit {
            do {
                return try body(&connection)
            } catch PostgresError.refused(let state, mayHaveCommitted: false) where state.asksForAnotherTry {
                connection.rollback()
                pause(after: attempt)
            } catch {
                connection.rollback()
                throw error
            }
        }
        defer { connection.rollback() }
        return try body(&connection)
    }

    /// Up to a millisecond, doubled with every attempt, up to 16; not the same for all who were in each other's way.
    private static func pause(after attempt: Int) {
        usleep(UInt32.random(in: 0...1000) << UInt32(min(attempt - 1, 4)))
    }
}
