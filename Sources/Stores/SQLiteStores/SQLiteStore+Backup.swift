internal import Foundation
internal import GRDB
package import Stores

extension SQLiteStore {
    /// Copies a database into a file, while servers use it.
    ///
    /// The copy is the state of one moment. A store that is opened from it has never watched, however it gets to its
    /// place, and therefore refuses every credential that was issued before.
    ///
    /// - Parameters:
    ///   - source: The path of the database.
    ///   - draft: The path of an empty file, which only this user can read.
    /// - Throws: ``BackupError``. The draft then has any content.
    package static func backUp(
        _ source: String, to draft: String, rules: DatabaseRules
    ) throws(BackupError) -> BackupSummary {
        try reporting {
            guard FileManager.default.fileExists(atPath: source) else {
                throw obstacle(at: source) ?? .unavailable(.cannotOpen, cause: "there is no file \(source)")
            }
            _ = try DatabaseFile(path: source).judge(rules)
            try DatabasePool(path: source).backup(to: DatabaseQueue(path: draft))
            return try examine(draft)
        }
    }

    /// Makes a database from a copy.
    ///
    /// Older tables stay as they are until the database is opened.
    ///
    /// - Parameters:
    ///   - draft: The path of an empty file, which only this user can read.
    ///   - copy: The path of a file that ``backUp(_:to:rules:)`` or another program made; it is not changed.
    /// - Throws: ``BackupError``. The draft then has any content.
    package static func restore(_ draft: String, from copy: String) throws(BackupError) -> BackupSummary {
        try reporting {
            var readOnly = Configuration()
            readOnly.readonly = true
            try DatabaseQueue(path: copy, configuration: readOnly).backup(to: DatabaseQueue(path: draft))
            return try examine(draft)
        }
    }

    /// Checks a copy, and marks it as a store that never watched.
    private static func examine(_ path: String) throws -> BackupSummary {
        let copy = try DatabaseQueue(path: path)
        defer { try? copy.close() }
        return try copy.writeWithoutTransaction { db in
            guard try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok" else { throw StoreError.corrupt }
            let migrator = Schema.migrator
            let applied = try migrator.appliedIdentifiers(db)
            guard let migration = applied.max() else { throw BackupError.notABackup }
            if let found = applied.subtracting(migrator.migrations).max() {
                throw StoreError.newerSchema(found: found, supported: migrator.migrations.last ?? "")
            }
            if try db.tableExists("watch") { try db.execute(sql: "UPDATE watch SET until = 0") }
            // One file, without a log beside it.
            try db.execute(sql: "PRAGMA journal_mode = DELETE")
            return BackupSummary(
                accounts: try Int.fetchOne(db, sql: "SELECT count(*) FROM accounts") ?? 0, migration: migration)
        }
    }

    private static func reporting<Value>(_ body: () throws -> Value) throws(BackupError) -> Value {
        do {
            return try body()
        } catch let error as BackupError {
            throw error
        } catch {
            throw .store(StoreError(error))
        }
    }
}

extension SQLiteStore {
    /// Determines which migrations a start would apply, and changes nothing.
    ///
    /// - Returns: Their names in order; all of them if there is no database.
    /// - Throws: ``StoreError/newerSchema(found:supported:)``, ``StoreError/corrupt``, or
    ///   ``StoreError/unavailable(_:cause:)``.
    package static func missingMigrations(path: String) throws(StoreError) -> [String] {
        guard FileManager.default.fileExists(atPath: path) else { return Schema.migrator.migrations }
        do {
            var readOnly = Configuration()
            readOnly.readonly = true
            let database = try DatabaseQueue(path: path, configuration: readOnly)
            defer { try? database.close() }
            return try Schema.missing(database)
        } catch {
            throw StoreError(error)
        }
    }
}
