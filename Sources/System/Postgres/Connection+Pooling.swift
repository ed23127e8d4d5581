/// The statements at the start of every transaction of a connection to a pooler that pools transactions.
///
/// The next transaction may run in another session, which other clients use in between, and after a failover at another
/// server. A setting of one session would be missing there, or remain for the other clients.
struct TransactionStart {
    /// The settings, as `name = value`.
    var settings: [String] = []
    /// A query, and the row that it must return in every transaction.
    var pinned: (query: String, row: Row)?

    var script: String {
        (["BEGIN"] + settings.map { "SET LOCAL " + $0 } + (pinned.map { [$0.query] } ?? [])).joined(separator: "; ")
    }
}

extension Connection {
    /// Sets parameters of the server for all later statements.
    ///
    /// - Parameter settings: Constants of the program, each as `name = value`.
    package mutating func set(_ settings: [String]) throws(PostgresError) {
        guard start == nil else {
            start?.settings += settings
            return
        }
        try run(script: settings.map { "SET " + $0 }.joined(separator: "; "))
    }

    /// Requires that a query returns the same row in all later transactions; otherwise the connection counts as lost.
    ///
    /// The query shows that all transactions run on one server. It is needed only with a pooler, because a session ends
    /// with its server.
    ///
    /// - Parameter query: A constant of the program, which returns one row without null.
    package mutating func pin(_ query: String) throws(PostgresError) {
        guard start != nil else { return }
        try begin()
        defer { rollback() }
        guard let row = try run(script: query).rows.first, !row.columns.contains(nil) else { throw .unexpectedAnswer }
        start?.pinned = (query, row)
    }

    /// Begins a transaction with one message, and checks that it runs on the pinned server.
    mutating func begin(_ start: TransactionStart) throws(PostgresError) {
        // After an error the server waits for the end of the transaction.
        isInTransaction = true
        do throws(PostgresError) {
            let row = try run(script: start.script).rows.first
            guard let pinned = start.pinned, row != pinned.row else { return }
        } catch {
            rollback()
            throw error
        }
        rollback()
        isBroken = true
        throw .interrupted(mayHaveCommitted: false)
    }

    /// Runs one statement as a transaction of its own.
    mutating func runAsTransaction(_ statement: Statement, _ values: [Value]) throws(PostgresError) -> Answer {
        try begin()
        do throws(PostgresError) {
            let answer = try runUnprepared(statement, values)
            // What a serializable transaction has read is valid only after its commit.
            try commit(hasWritten: statement.writes)
            return answer
        } catch {
            rollback()
            throw error
        }
    }
}
