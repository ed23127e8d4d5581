package import CoreMetrics
internal import Foundation
internal import GRDB
package import JOSE
package import Stores

/// The embedded store: one SQLite file on a local disk of one machine.
///
/// Several processes of one machine may share the file, coordinated by its locks. Several machines need PostgreSQL.
package final class SQLiteStore: SQLStore {
    private let database: any DatabaseWriter
    private let file: DatabaseFile?
    private let watchFile: WatchFile?
    let writes: WriteQueue
    package let clock = WatchClock()
    /// Warnings about the files, for the operator.
    package let fileWarnings: [String]

    private init(
        _ database: any DatabaseWriter, _ file: DatabaseFile? = nil, _ watchFile: WatchFile? = nil,
        warnings: [String] = [], metrics: any MetricsFactory, isInPlace: @escaping @Sendable () -> Bool
    ) {
        self.database = database
        self.file = file
        self.watchFile = watchFile
        fileWarnings = warnings
        writes = WriteQueue(database, isInPlace: isInPlace, meters: StoreMeters(metrics))
    }

    /// Opens the database file, and makes it if it is missing.
    ///
    /// Blocks the thread. Call it once, before serving requests.
    ///
    /// - Parameters:
    ///   - path: The path of the database. SQLite keeps two more files beside it, whose names end in `-wal` and `-shm`.
    ///     The folder is made if its parent exists.
    ///   - migrates: Whether to apply missing migrations. If false, missing ones cause ``StoreError/tablesBehind``.
    ///   - watching: The settings for watching. If `nil`, credentials with a known time of issue are refused unless
    ///     another process watches.
    ///   - busyTimeout: The time that a write waits for another process.
    ///   - metrics: Receives the times of calls and the sizes of commits.
    /// - Returns: A store whose commits survive a loss of power.
    /// - Throws: ``StoreError/newerSchema(found:supported:)``, ``StoreError/tablesBehind``, ``StoreError/corrupt``,
    ///   ``StoreError/notLocal(fileSystem:)`` or ``StoreError/exposed(path:objection:)``, and the tables are unchanged;
    ///   ``StoreError/unavailable(_:cause:)`` if the database cannot be used.
    package static func open(
        path: String, migrates: Bool = true, watching: Watching? = nil, busyTimeout: Duration = .seconds(5),
        rules: DatabaseRules = DatabaseRules(), metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) throws(StoreError) -> SQLiteStore {
        do {
            let file = DatabaseFile(path: path)
            let warnings = try file.prepare(rules)
            return try file.alone(within: busyTimeout) {
                let judged = file.identity
                let watchFile = try WatchFile(beside: path)
                let pool = try DatabasePool(path: path, configuration: configuration(busyTimeout))
                let isInPlace = try file.watch()
                try prepare(pool, journalMode: "wal", migrates: migrates)
                // SQLite opens by name, so check that the name still leads to the file that was checked, and the files
                // beside it too.
                guard file.identity == judged else {
                    throw StoreError.unavailable(.cannotOpen, cause: "the file \(path) was replaced during the start")
                }
                _ = try file.judge(rules)
                if let watching {
                    try begin(watching, watchFile.continuity, pool)
                    try watchFile.markOpen()
                }
                return SQLiteStore(
                    pool, file, watchFile, warnings: warnings, metrics: metrics, isInPlace: isInPlace)
            }
        } catch {
            throw StoreError(error)
        }
    }

    /// What prevents a database from being opened or made at a path, as far as its files show; `nil` if nothing does.
    package static func obstacle(at path: String) -> StoreError? { DatabaseFile(path: path).obstacle() }

    /// Checks that a database may be made at a path, and makes nothing.
    package static func check(_ path: String, _ rules: DatabaseRules) throws(StoreError) {
        try DatabaseFile(path: path).check(rules)
    }

    /// Makes the empty file of a database if it is missing, and otherwise checks that it is a database.
    ///
    /// Call it before this process opens the database.
    ///
    /// - Parameter first: The work that has to be done before the file exists. It does not run if there is a file. No
    ///   other process of this program makes or opens a database in the folder meanwhile.
    /// - Throws: ``StoreError``, and every error of `first`. Then no file was made.
    package static func make(path: String, rules: DatabaseRules, first: () throws -> Void) throws {
        let file = DatabaseFile(path: path)
        try file.check(rules)
        guard file.identity == nil else { return try file.checkHeader() }
        try file.alone(within: .seconds(5)) {
            guard file.identity == nil else { return }
            try first()
            _ = try file.prepare(rules)
        }
    }

    /// Makes a store in memory, for tests.
    ///
    /// It loses all records of used credentials when the process ends.
    ///
    /// - Parameters:
    ///   - start: The time since which the store has watched.
    ///   - end: The time until which the store has watched; `nil` for `start`.
    /// - Returns: An empty store.
    package static func inMemory(
        watchedSince start: NumericDate = NumericDate(1), until end: NumericDate? = nil
    ) throws(StoreError) -> SQLiteStore {
        do {
            let queue = try DatabaseQueue(configuration: configuration(.seconds(5)))
            try prepare(queue, journalMode: "memory", migrates: true)
            try begin(Watching(TimeSource { start }), .broken, queue)
            if let end { try queue.write { try SQLiteSession(database: $0).renew(at: end, .unbroken) } }
            return SQLiteStore(queue, metrics: NOOPMetricsHandler.instance) { true }
        } catch {
            throw StoreError(error)
        }
    }

    private static func configuration(_ busyTimeout: Duration) -> Configuration {
        var configuration = Configuration()
        configuration.label = "store"
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(busyTimeout / .seconds(1))
        return configuration
    }

    private static func prepare(_ database: any DatabaseWriter, journalMode: String, migrates: Bool) throws {
        try database.writeWithoutTransaction { db in
            // With NORMAL a loss of power can undo a commit (sqlite.org/pragma.html#pragma_synchronous). GRDB's pool
            // sets NORMAL while it opens, so this must come afterwards.
            try db.execute(sql: "PRAGMA synchronous = FULL")
            let settings = try ConnectionSettings(of: db)
            if let error = settings.objection(journalMode: journalMode) { throw error }
        }
        try Schema.prepare(database, migrates: migrates)
    }

    private static func begin(
        _ watching: Watching, _ continuity: WatchContinuity, _ database: any DatabaseWriter
    ) throws {
        let reading = try database.read { try SQLiteSession(database: $0).watchReading() }
        let now = watching.confirmedNow(after: reading)
        try database.write { try SQLiteSession(database: $0).renew(at: now, continuity, isAnew: watching.isAnew) }
    }

    /// Waits for calls in progress, and closes the database.
    ///
    /// Later calls throw ``StoreError/unavailable(_:cause:)``. If no other process has the file open, it then contains all
    /// commits, and the log beside it is empty.
    package func close() throws(StoreError) {
        do {
            // Nothing is lost if this fails: the next start reads the log.
            try? database.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
            guard let file, let watchFile else { return try database.close() }
            do {
                try file.alone(within: .seconds(5)) {
                    try database.close()
                    watchFile.markLeft()
                }
            } catch let error as StoreError {
                // The folder could not be locked, so the file is not marked as closed. The next start then refuses more
                // credentials than necessary.
                try database.close()
                throw error
            }
        } catch {
            throw StoreError(error)
        }
    }

    /// Reads the settings that are in effect.
    package func settings() async throws(StoreError) -> ConnectionSettings {
        try await writes.write { db in .keep(try ConnectionSettings(of: db)) }
    }
}

extension SQLiteStore {
    package func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteSession) throws -> Outcome<Value>
    ) async throws(StoreError) -> Value {
        try await writes.write { try body(SQLiteSession(database: $0)) }
    }

    package func perform<Value: Sendable>(
        isOneStatement: Bool = false, _ body: @escaping @Sendable (SQLiteSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await writes.write(isOneStatement: isOneStatement) { .keep(try body(SQLiteSession(database: $0))) }
    }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await writes.read { try body(SQLiteSession(database: $0)) }
    }

    // A connection that cannot write, beside the writer.
    package func scan<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteSession) throws -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            database.asyncRead { access in
                let result = Result { try body(SQLiteSession(database: access.get())) }
                continuation.resume(returning: result.mapError { StoreError($0) })
            }
        }
        return try result.get()
    }
}
