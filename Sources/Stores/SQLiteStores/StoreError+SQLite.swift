internal import GRDB
package import Stores

extension StoreError {
    /// Translates a result code of SQLite.
    ///
    /// - Parameters:
    ///   - sqliteResultCode: A primary or extended result code.
    ///   - commitHasBegun: Whether `COMMIT` was executed before the failure.
    package init(sqliteResultCode: Int32, commitHasBegun: Bool) {
        // The least significant 8 bits are the primary result code (sqlite.org/rescode.html).
        let fault: StoreFault =
            switch ResultCode(rawValue: sqliteResultCode & 0xFF) {
            case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
            case .SQLITE_FULL: .full
            case .SQLITE_READONLY: .readOnly
            case .SQLITE_IOERR: .inputOutput
            case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH: .cannotOpen
            case .SQLITE_NOTADB: commitHasBegun ? .corrupt : .notADatabase
            case .SQLITE_CORRUPT: .corrupt
            case .SQLITE_MISUSE: .closed
            default: .other
            }
        switch fault {
        // In WAL mode the last frame of a transaction marks the commit. Without a lock, permission to write, or space,
        // that frame is never written. After any other failure, above all a failed sync, it may exist.
        case .busy, .readOnly, .full: self = .unavailable(fault)
        case _ where commitHasBegun: self = .outcomeUnknown(fault)
        case .corrupt: self = .corrupt
        default: self = .unavailable(fault)
        }
    }

    init(_ error: any Error, commitHasBegun: Bool = false) {
        switch error {
        case let error as StoreError: self = error
        // These words name a table or a column that is missing, and no value.
        case let error as DatabaseError where error.resultCode == .SQLITE_ERROR && !commitHasBegun:
            self = .unavailable(.other, cause: error.message)
        case let error as DatabaseError:
            self.init(sqliteResultCode: error.resultCode.rawValue, commitHasBegun: commitHasBegun)
        default: self = commitHasBegun ? .outcomeUnknown(.other) : .unavailable(.other)
        }
    }
}
