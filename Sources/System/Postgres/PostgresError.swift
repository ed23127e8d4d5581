/// Why there is no answer of a PostgreSQL.
///
/// Nothing of what libpq or the server wrote is in here: it quotes the values of statements, and host and user names.
package enum PostgresError: Error, Equatable, Sendable {
    /// No connection came to be: a wrong address, a refused password, a server that is down or only reads.
    case unreachable
    /// The server is set up so that this one setting makes it unfit.
    case unfit(setting: String)
    /// The server refused a statement. `mayHaveCommitted` is true only for what ended a transaction.
    case refused(SQLState, mayHaveCommitted: Bool)
    /// The connection broke, or the answer did not come in time. `mayHaveCommitted` as above.
    case interrupted(mayHaveCommitted: Bool)
    /// Too many calls wait, or this one waited for too long. Nothing was sent.
    case overloaded
    /// We are closing. Nothing was sent.
    case closed
    /// An answer of another shape than the protocol promises.
    case unexpectedAnswer
}
