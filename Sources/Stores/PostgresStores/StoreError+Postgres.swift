internal import Postgres
package import Stores

extension StoreError {
    /// Translates an SQLSTATE (PostgreSQL manual, appendix A).
    ///
    /// - Parameters:
    ///   - sqlState: The code, five characters.
    ///   - mayHaveCommitted: Whether the transaction may have been committed before the error.
    package init(sqlState: String, mayHaveCommitted: Bool) {
        let fault = StoreFault(SQLState(sqlState))
        switch fault {
        case _ where mayHaveCommitted: self = .outcomeUnknown(fault)
        case .corrupt: self = .corrupt
        default: self = .unavailable(fault)
        }
    }

    init(_ error: PostgresError) {
        switch error {
        case .unreachable: self = .unavailable(.cannotOpen)
        case .unfit: self = .notDurable
        case .unexpectedAnswer: self = .unavailable(.other)
        case .refused(let state, let mayHaveCommitted):
            self.init(sqlState: state.code, mayHaveCommitted: mayHaveCommitted)
        case .interrupted(mayHaveCommitted: true): self = .outcomeUnknown(.inputOutput)
        case .interrupted(mayHaveCommitted: false): self = .unavailable(.inputOutput)
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
            // Serialization, deadlock, lock timeout, object in use, statement timeout, too many connections.
            case (_, "40001"), (_, "40P01"), (_, "55P03"), (_, "55006"), (_, "57014"), (_, "53300"): .busy
            case (_, "53100"): .full
            case (_, "25006"): .readOnly
            case (_, "XX001"), (_, "XX002"): .corrupt
            // Connection, system error, shutdown.
            case ("08", _), ("58", _), ("57", _): .inputOutput
            // Authorization, no such database, no such schema, no privilege, no such table.
            case ("28", _), ("3D", _), ("3F", _), (_, "42501"), (_, "42P01"): .cannotOpen
            default: .other
            }
    }
}
