internal import Postgres
package import Stores

extension StoreError {
    /// Translates an SQLSTATE (PostgreSQL manual, appendix A).
    ///
    /// - Parameters:
    ///   - sqlState: The code, five characters.
    ///   - message: The message of the server, if it contains no secret.
    ///   - mayHaveCommitted: Whether the transaction may have been committed before the error.
    package init(sqlState: String, message: String? = nil, mayHaveCommitted: Bool) {
        let fault = StoreFault(SQLState(sqlState))
        switch fault {
        case _ where mayHaveCommitted: self = .outcomeUnknown(fault)
        case .corrupt: self = .corrupt
        default: self = .unavailable(fault, cause: message ?? (fault == .other ? "SQLSTATE \(sqlState)" : nil))
        }
    }

    init(_ error: PostgresError) {
        switch error {
        case .unreachable(let failure):
            let unreadable = failure.reason == .invalidString ? "libpq cannot read the connection string" : nil
            self = .unavailable(StoreFault(failure.reason), cause: unreadable ?? failure.message)
        case .unfit(let setting, let value, let needed):
            self = .notDurable(setting: setting, value: value, needed: needed)
        case .unexpectedAnswer: self = .unavailable(.other, cause: "an answer has another form than that of PostgreSQL")
        case .refused(let state, let message, let mayHaveCommitted):
            self.init(sqlState: state.code, message: message, mayHaveCommitted: mayHaveCommitted)
        case .interrupted(mayHaveCommitted: true): self = .outcomeUnknown(.inputOutput)
        case .interrupted(mayHaveCommitted: false):
            self = .unavailable(.inputOutput, cause: "the connection to PostgreSQL broke, or no answer came in time")
        case .overloaded: self = .unavailable(.overloaded)
        case .closed: self = .unavailable(.closed)
        }
    }

    init(_ error: any Error) {
        switch error {
        case let error as StoreError: self = error
        case let error as PostgresError: self.init(error)
        default: self = .unavailable(.other)
        }
    }
}

extension StoreFault {
    fileprivate init(_ state: SQLState) {
        self =
            switch (state.classCode, state.code) {
            // Serialization, deadlock, lock timeout, object in use, statement timeout.
            case (_, "40001"), (_, "40P01"), (_, "55P03"), (_, "55006"), (_, "57014"): .busy
            case (_, "53300"): .tooManyConnections
            case (_, "53100"): .full
            case (_, "25006"): .readOnly
            case (_, "XX001"), (_, "XX002"): .corrupt
            // PgBouncer reports its own refusals as protocol violations.
            case (_, "08P01"): .pooler
            // A statement of another session has the name, or another session prepared it: these names are used once in a
            // session, so that a pooler gives it another connection of PostgreSQL for each transaction.
            case (_, "42P05"), (_, "26000"): .transactionPooler
            // Shutdown by an administrator or after a crash, and a server that does not accept connections.
            case (_, "57P01"), (_, "57P02"), (_, "57P03"): .restarting
            case (_, "57P04"), ("3D", _): .databaseMissing
            case ("08", _), ("58", _), ("57", _): .inputOutput
            case ("28", _): .authentication
            // Without the privilege USAGE on a schema, PostgreSQL reports that there is no schema.
            case (_, "42501"), ("3F", _): .privilegeMissing
            // No such table.
            case (_, "42P01"): .cannotOpen
            default: .other
            }
    }

    fileprivate init(_ reason: ConnectionFailure.Reason) {
        self =
            switch reason {
            case .pooler: .pooler
            case .authentication: .authentication
            case .clientCertificate: .clientCertificate
            case .notAdmitted: .notAdmitted
            case .roleMissing: .roleMissing
            case .databaseMissing: .databaseMissing
            case .privilegeMissing: .privilegeMissing
            case .tooManyConnections: .tooManyConnections
            case .restarting: .restarting
            case .readOnly: .readOnly
            case .tls: .tls
            case .noAnswer: .noAnswer
            case .connectionRefused: .connectionRefused
            case .interrupted: .inputOutput
            case .hostUnknown: .hostUnknown
            case .invalidString, .other: .cannotOpen
            }
    }
}
