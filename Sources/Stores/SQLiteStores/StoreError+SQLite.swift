internal import GRDB
package import Stores

extension StoreError {
    /// What a result code of SQLite's means for who waits for the answer.
    ///
    /// - Parameters:
    ///   - sqliteResultCode: primary or extended.
    ///   - commitHasBegun: whether `COMMIT` was sent before it failed.
    package init(sqliteResultCode: Int32, commitHasBegun: Bool) {
        // The least significant 8 bits are the primary result code (sqlite.org/rescode.html).
        let fault: StoreFault =
            switch ResultCode(rawValue: sqliteResultCode & 0xFF) {
            case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
            case .SQLITE_FULL: .full
            case .SQLITE_READONLY: .readOnly
            case .SQLITE_IOERR: .inputOutput
            case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH: .cannotOpen
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: .corrupt
            case .SQLITE_MISUSE: .closed
            default: .other
            }
        switch fault {
        // In WAL mode the mark of the commit is in the last frame of a transaction: without a lock, without the right to
        // write or without space it never comes to be. After any other failure, that of a sync above all, it may be there.
        case .busy, .readOnly, .full: self = .unavailable(fault)
        case _ where commitHasBegun: self = .outcomeUnknown(fault)
        case .corrupt: self = .corrupt
        default: self = .unavailable(fault)
        }
    }

    init(_ error: any Error, commitHasBegun: Bool = false) {
        switch error {
        case let error as StoreError: self = error
        case let error as DatabaseError:
            self.init(sqliteResultCode: error.resultCode.rawValue, commitHasBegun: commitHasBegun)
        default: self = commitHasBegun ? .outcomeUnknown(.other) : .unavailable(.other)
        }
    }
}
