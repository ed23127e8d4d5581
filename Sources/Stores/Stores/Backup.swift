package import OperatingSystem

/// The content of a backup, for its reader.
package struct BackupSummary: Sendable, Equatable {
    package let accounts: Int
    /// The name of the last migration of the copied tables.
    package let migration: String

    package init(accounts: Int, migration: String) {
        self.accounts = accounts
        self.migration = migration
    }
}

/// The reason why a backup or its restoration failed, after which nothing has changed.
package enum BackupError: Error, Equatable, Sendable {
    /// The target exists. Neither a backup nor a store is overwritten.
    case exists
    /// The file is not a whole backup of a store.
    case notABackup
    /// A file cannot be read or written; the value is `errno` of the call.
    case file(code: Int32)
    /// The store failed, or the copy in the file is not usable as one.
    case store(StoreError)

    package init(_ error: DraftFileError) {
        switch error {
        case .exists: self = .exists
        case .system(let code): self = .file(code: code)
        }
    }
}
