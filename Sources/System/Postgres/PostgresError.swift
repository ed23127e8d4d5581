/// The reason why PostgreSQL returned no result.
///
/// The messages in it name hosts, users, databases, tables and files, and contain neither a password nor a value of a
/// statement.
package enum PostgresError: Error, Equatable, Sendable {
    /// No connection could be opened.
    case unreachable(ConnectionFailure)
    /// The value of this setting makes the server unsafe to use, and `needed` would not.
    case unfit(setting: String, value: String, needed: String)
    /// The server refused a statement. `message` is `nil` for a state whose message can quote values.
    /// `mayHaveCommitted` is true only if the statement could commit a transaction.
    case refused(SQLState, message: String? = nil, mayHaveCommitted: Bool)
    /// The connection broke, or the response did not arrive in time. `mayHaveCommitted` has the
    /// same meaning as in ``refused(_:message:mayHaveCommitted:)``.
    case interrupted(mayHaveCommitted: Bool)
    /// Too many calls wait, or this one waited too long. Nothing was sent.
    case overloaded
    /// The pool is closed. Nothing was sent.
    case closed
    /// The response does not have the expected form.
    case unexpectedAnswer
}

/// An error code of the server: five characters, of which the first two are the class (PostgreSQL manual, appendix A).
package struct SQLState: Sendable, Hashable {
    package let code: String

    package init(_ code: String) {
        self.code = code
    }

    /// The first two characters.
    package var classCode: String { String(code.prefix(2)) }

    /// Whether the same transaction may succeed if it is repeated: `serialization_failure` and `deadlock_detected`.
    package var asksForAnotherTry: Bool { ["40001", "40P01"].contains(code) }

    /// Whether a commit with this error may have happened nevertheless.
    ///
    /// The codes are `statement_completion_unknown`, `transaction_resolution_unknown`, and failures of the server itself.
    var leavesCommitOpen: Bool {
        ["40003", "08007"].contains(code) || ["58", "XX"].contains(classCode)
    }

    /// Whether the message of the server names at most objects and settings of the server, and no value of a statement.
    ///
    /// The messages of the classes 22 and 23, for example, can quote the row that was refused. Those of class 42 quote the
    /// statement, in which each value is a parameter.
    var hasMessageWithoutValues: Bool {
        ["08", "0A", "25", "26", "28", "3D", "3F", "42", "53", "54", "55", "57", "58"].contains(classCode)
    }

    /// Whether the engine has no such function or setting, or the role may not use it: `undefined_function`,
    /// `feature_not_supported`, `insufficient_privilege`.
    package var isUnsupported: Bool { ["42883", "0A000", "42501"].contains(code) }

    /// Whether the session remains usable: only the statement failed, or conflicted with another one.
    ///
    /// After other errors the session is closed, because the server may have become a standby (25006) or lost the
    /// prepared statements (26000).
    var sparesSession: Bool {
        isUnsupported || ["22", "23", "40"].contains(classCode)
            || ["55P03", "57014", "42P01", "42P07", "42710"].contains(code)
    }
}
