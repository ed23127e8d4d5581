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

/// What a server answered instead of a result: five characters, of which the first two name a class
/// (PostgreSQL manual, appendix A).
package struct SQLState: Sendable, Hashable {
    package let code: String

    package init(_ code: String) {
        self.code = code
    }

    /// The first two characters.
    package var classCode: String { String(code.prefix(2)) }

    /// Whether the same transaction, begun anew, may succeed: `serialization_failure` and `deadlock_detected`.
    package var asksForAnotherTry: Bool { ["40001", "40P01"].contains(code) }

    /// Whether a commit that was answered with it may have happened all the same.
    ///
    /// `statement_completion_unknown`, `transaction_resolution_unknown`, and failures of the server itself.
    var leavesCommitOpen: Bool {
        ["40003", "08007"].contains(code) || ["58", "XX"].contains(classCode)
    }

    /// Whether the engine has no such function or setting, or the role may not use it: `undefined_function`,
    /// `feature_not_supported`, `insufficient_privilege`.
    package var isUnsupported: Bool { ["42883", "0A000", "42501"].contains(code) }

    /// Whether the session is as good as before: the statement was at fault, or others in its way.
    ///
    /// Elsewhere it is closed: the server may have become a standby (25006) or lost our statements (26000).
    var sparesSession: Bool {
        isUnsupported || ["22", "23", "40"].contains(classCode)
            || ["55P03", "57014", "42P01", "42P07", "42710"].contains(code)
    }
}
