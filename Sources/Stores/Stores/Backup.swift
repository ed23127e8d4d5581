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

/// The reason why a file is not a copy of a store, or cannot become one.
package enum BackupError: Error, Equatable, Sendable {
    /// The file is not a whole backup of a store.
    case notABackup
    /// The store failed, or the copy in the file is not usable as one.
    case store(StoreError)
}
