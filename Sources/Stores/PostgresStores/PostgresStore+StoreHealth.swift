internal import Postgres
internal import Stores

extension PostgresStore: StoreStatistics {
    package var waitingCalls: Int { pool.waiting }
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

    /// The query of the row, in which an unknown setting is null instead of an error.
    static let query =
        "SELECT "
        + [
            "synchronous_commit", "fsync", "transaction_read_only", "statement_timeout", "lock_timeout",
            "idle_in_transaction_session_timeout", "application_name",
        ].map { "current_setting('\($0)', true)" }.joined(separator: ", ")

    init(_ row: (any SQLRow)?) throws(PostgresError) {
        guard let row else { throw .unexpectedAnswer }
        synchronousCommit = row.text(0) ?? ""
        syncsToDisk = row.text(1).map { $0 == "on" }
        isReadOnly = row.text(2) == "on"
        statementTimeout = row.text(3) ?? ""
        lockTimeout = row.text(4) ?? ""
        idleInTransactionTimeout = row.text(5) ?? ""
        applicationName = row.text(6) ?? ""
    }
}
