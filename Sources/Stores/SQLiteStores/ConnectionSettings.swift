internal import GRDB

/// What SQLite itself says about the connection that writes.
package struct ConnectionSettings: Sendable, Equatable {
    /// `wal`, or `memory` in memory.
    package let journalMode: String
    /// 2 is FULL: a commit has reached the disk when it returns (sqlite.org/pragma.html#pragma_synchronous).
    package let synchronous: Int
    package let enforcesForeignKeys: Bool
    package let busyTimeout: Duration

    init(of db: Database) throws {
        journalMode = try String.fetchOne(db, sql: "PRAGMA journal_mode") ?? ""
        synchronous = try Int.fetchOne(db, sql: "PRAGMA synchronous") ?? 0
        enforcesForeignKeys = try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") ?? false
        busyTimeout = .milliseconds(try Int.fetchOne(db, sql: "PRAGMA busy_timeout") ?? 0)
    }
}
