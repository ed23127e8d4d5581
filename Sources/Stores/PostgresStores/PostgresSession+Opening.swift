internal import Glibc
internal import JOSE
internal import Postgres

/// Opens sessions that are safe to spend credentials in.
extension PostgresSession {
    /// Opens a session whose commits are durable.
    ///
    /// - Parameters:
    ///   - string: The address of the server, with the credentials.
    ///   - time: The clock of a store that watches. The server is then compared with the recorded one. `nil` omits the
    ///     comparison.
    static func open(
        _ string: ConnectionString, _ timeouts: ConnectionTimeouts, watching time: TimeSource? = nil
    ) throws(PostgresError) -> Connection {
        var connection = try Connection.open(string, name: "token-exchange", timeouts: timeouts)
        try makeDurable(&connection)
        // A pooler may replace the server while the connection stays open.
        try connection.pin(ServerIdentity.query)
        if let time { try admit(&connection, at: time) }
        return connection
    }

    private static func admit(_ connection: inout Connection, at time: TimeSource) throws(PostgresError) {
        do {
            try PostgresSession.run(on: &connection) { try $0.admit(at: time.now()) }
        } catch let error as PostgresError {
            throw error
        } catch {
            // A row of the watch tables is missing.
            throw .unexpectedAnswer
        }
    }

    /// Requires durable commits: if a crash could undo a commit, a used credential could be used again.
    ///
    /// If an operator turned durability off for the server, the database, the role or in the connection string, the
    /// session is refused, and the setting is not overridden.
    private static func makeDurable(_ connection: inout Connection) throws(PostgresError) {
        let found = try PostgresSettings(connection.run(.reading(PostgresSettings.query)).rows.first)
        guard found.synchronousCommit != "off" else {
            throw .unfit(setting: "synchronous_commit", value: "off", needed: "on")
        }
        guard found.syncsToDisk ?? true else { throw .unfit(setting: "fsync", value: "off", needed: "on") }
        // `local` and `remote_write` do not wait for the disk of a synchronous standby.
        let wanted = found.synchronousCommit == "remote_apply" ? "remote_apply" : "on"
        try connection.set(["synchronous_commit = " + wanted])
        let set = try PostgresSettings(connection.run(.reading(PostgresSettings.query)).rows.first).synchronousCommit
        guard set == wanted else { throw .unfit(setting: "synchronous_commit", value: set, needed: wanted) }
    }
}

/// Repeats transactions that the server aborted in favour of another one.
enum Attempts {
    static let limit = 25

    /// Runs `body`, and repeats it only if it was certainly rolled back.
    ///
    /// - Parameters:
    ///   - connection: The connection. A transaction that is left open is rolled back.
    ///   - body: One transaction or one statement.
    /// - Throws: The error of the last attempt.
    static func run<Value>(
        _ connection: inout Connection, _ body: (inout Connection) throws -> Value
    ) throws -> Value {
        for attempt in 1..<limit {
            do {
                return try body(&connection)
            } catch PostgresError.refused(let state, message: _, mayHaveCommitted: false) where state.asksForAnotherTry
            {
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

    /// Waits a random time: at most 1 ms after the first attempt, and twice the limit after each further one, up to 16 ms.
    ///
    /// The time is random so that the same transactions do not conflict again.
    private static func pause(after attempt: Int) {
        usleep(UInt32.random(in: 0...1000) << UInt32(min(attempt - 1, 4)))
    }
}
