internal import GRDB
package import Stores

extension SQLiteStore: StoreStatistics {
    package var waitingCalls: Int { writes.waitingJobs }
}

/// The settings of the writing connection, as SQLite reports them.
package struct ConnectionSettings: Sendable, Equatable {
    /// The journal mode: `wal` for a file, `memory` for a store in memory.
    package let journalMode: String
    /// The value of `PRAGMA synchronous`.
    ///
    /// 2 is FULL: a commit is on disk when it returns (sqlite.org/pragma.html#pragma_synchronous).
    package let synchronous: Int
    package let enforcesForeignKeys: Bool
    package let busyTimeout: Duration

    /// Checks that no commit can be lost, and that no link can be without an account.
    ///
    /// - Parameter needed: The journal mode that the store has set.
    /// - Returns: The error; `nil` if nothing is wrong.
    package func objection(journalMode needed: String) -> StoreError? {
        if journalMode != needed {
            return .notDurable(setting: "PRAGMA journal_mode", value: journalMode, needed: needed)
        }
        if synchronous != 2 {
            return .notDurable(setting: "PRAGMA synchronous", value: "\(synchronous)", needed: "2")
        }
        return enforcesForeignKeys ? nil : .unavailable(.other)
    }

    init(of db: Database) throws {
        journalMode = try String.fetchOne(db, sql: "PRAGMA journal_mode") ?? ""
        synchronous = try Int.fetchOne(db, sql: "PRAGMA synchronous") ?? 0
        enforcesForeignKeys = try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") ?? false
        busyTimeout = .milliseconds(try Int.fetchOne(db, sql: "PRAGMA busy_timeout") ?? 0)
    }
}
