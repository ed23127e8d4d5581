internal import Foundation
internal import OperatingSystem
internal import PostgresStores
internal import Stores

/// A backup of a PostgreSQL store: the script of pg_dump between a first and a last line of ours.
///
/// The script ends with a statement that makes the restored store one that never watched, also if an operator runs it
/// with psql.
struct PostgresBackup {
    private static let title = "-- token-exchange backup: "
    private static let end = "-- token-exchange backup: complete"

    let conninfo: String
    let poolsTransactions: Bool

    /// Writes a backup.
    ///
    /// - Parameter draft: The path of an empty file, which only this user can read.
    /// - Throws: ``BackupError``, `DraftFileError`, or exit 1 if pg_dump fails. The draft then has any content.
    func write(to draft: String) throws -> BackupSummary {
        guard let tables = try tables() else { throw BackupError.store(.tablesBehind) }
        guard let file = FileHandle(forWritingAtPath: draft) else { throw DraftFileError.system(EACCES) }
        defer { try? file.close() }
        try file.write(contentsOf: Data("\(Self.title)\(tables.summary.migration)\n".utf8))
        try PostgresTools(conninfo: conninfo).run(
            "pg_dump", ["--no-owner", "--no-privileges"] + tables.names.map { "--table=\($0)" }, to: file)
        let mark = tables.watch.map { "UPDATE \($0) SET until = 0;\n" } ?? ""
        try file.seekToEnd()
        try file.write(contentsOf: Data("\(mark)\(Self.end)\n".utf8))
        return tables.summary
    }

    /// Makes the tables and rows of a backup in a database without tables, in one transaction.
    ///
    /// - Throws: ``BackupError``, `DraftFileError`, or exit 1 if psql fails. Then nothing was changed.
    func restore(from path: String) throws -> BackupSummary {
        try Self.check(path)
        do {
            guard try tables() == nil else { throw DraftFileError.exists }
        } catch BackupError.store(.newerSchema) {
            throw DraftFileError.exists
        }
        try PostgresTools(conninfo: conninfo).run(
            "psql",
            [
                "--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1", "--set=VERBOSITY=terse",
                "--file=\(path)",
            ])
        do {
            try PostgresStore.migrate(conninfo: conninfo, poolsTransactions: poolsTransactions)
        } catch {
            throw BackupError.store(error)
        }
        guard let tables = try tables() else { throw BackupError.store(.corrupt) }
        return tables.summary
    }

    /// Checks that a file is a whole backup, of tables that this program knows.
    private static func check(_ path: String) throws {
        guard FileObstacle(of: path) == nil, let file = FileHandle(forReadingAtPath: path)
        else { throw DraftFileError.system(ENOENT) }
        defer { try? file.close() }
        let start = String(decoding: try file.read(upToCount: 200) ?? Data(), as: UTF8.self)
        let size = try file.seekToEnd()
        try file.seek(toOffset: size - min(size, UInt64(end.utf8.count + 1)))
        let last = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        guard start.hasPrefix(title), last == "\(end)\n", let line = start.split(separator: "\n").first else {
            throw BackupError.notABackup
        }
        let migration = String(line.dropFirst(title.count))
        guard PostgresStore.migrationNames.contains(migration) else {
            throw BackupError.store(
                .newerSchema(found: migration, supported: PostgresStore.migrationNames.last ?? ""))
        }
    }

    private func tables() throws(BackupError) -> PostgresTables? {
        do {
            return try PostgresStore.tables(conninfo: conninfo, poolsTransactions: poolsTransactions)
        } catch {
            throw .store(error)
        }
    }
}
