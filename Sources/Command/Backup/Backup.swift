internal import ArgumentParser
internal import Foundation
internal import OperatingSystem
internal import SQLiteStores
internal import Settings
internal import Stores

struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies the store into a file, while servers use it.",
        discussion: """
            The copy is the state of one moment, in a new file that only this user can read. For SQLite it is a database; \
            for PostgreSQL it is a script, which pg_dump writes. It has the accounts, their identities and second factors, \
            the records of used credentials and the audit trail. It does not have the keys. Keep them in another place: \
            a stolen copy without them reveals no second factor.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Argument(help: "The file to write. An existing file is not replaced.")
    var file: String

    func validate() throws {
        guard file == "-" else { return }
        throw ValidationError("A backup is a file: name one, because standard output cannot receive it.")
    }

    func run() async throws {
        let settings = try await options.load()
        try await OperatorSession.requireDatabase(settings.store)
        let summary = try BackupReport.reportingErrors(settings.store, file, isTarget: file) {
            // Other users must not be able to read the files that SQLite adds.
            umask(0o077)
            let draft = try DraftFile(for: file)
            let summary =
                switch settings.store {
                case .sqlite(let path):
                    try SQLiteStore.backUp(path, to: draft.path, rules: settings.allowances.databaseRules)
                case .postgres(let connection, let pooling):
                    try PostgresBackup(
                        conninfo: connection.secretText, poolsTransactions: pooling == .transaction
                    ).write(to: draft.path)
                case .firestore(let project, let database, _): throw BackupReport.ofGoogle(project, database)
                }
            try draft.finish()
            return summary
        }
        print("\(file): \(Counted.of(summary.accounts, "account")), tables of \(summary.migration)")
        let keys = SealKeys.files(settings).map(\.path)
        guard !keys.isEmpty else { return }
        print("The keys are not in it. Keep them in another place: \(keys.joined(separator: ", "))")
    }
}

struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Makes the store from a file of backup.",
        discussion: """
            Needs a store that does not exist yet: move an SQLite database away, or make an empty PostgreSQL database. If it \
            fails, nothing was made. Older tables are upgraded. Put the keys back before.

            The restored store does not know what was used after the backup. The next start therefore refuses every \
            credential that was issued before it, so that nothing can be used twice: users whose sign-in is in progress \
            begin again. Accounts and links that were made after the backup are missing, and removed ones are back.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Argument(help: "A file that backup wrote, or for SQLite any copy of the database.")
    var file: String

    func run() async throws {
        let settings = try await options.load()
        let summary = try BackupReport.reportingErrors(settings.store, file, isTarget: nil) {
            switch settings.store {
            case .sqlite(let path):
                umask(0o077)
                return try Self.restore(path, from: file)
            case .postgres(let connection, let pooling):
                return try PostgresBackup(
                    conninfo: connection.secretText, poolsTransactions: pooling == .transaction
                ).restore(from: file)
            case .firestore(let project, let database, _): throw BackupReport.ofGoogle(project, database)
            }
        }
        print("\(settings.store): \(Counted.of(summary.accounts, "account")), tables of \(summary.migration)")
        print("At its next start, serve refuses everything that was issued before. Users sign in again.")
        let missing = SealKeys.files(settings).map(\.path).filter { !FileManager.default.fileExists(atPath: $0) }
        guard !missing.isEmpty else { return }
        print(
            "warning: the keys \(missing.joined(separator: ", ")) are missing. Put them back, because serve does not "
                + "start without them: new keys do not open the second factors of the backup")
    }
}

extension Restore {
    /// Makes a database at a path at which there is none.
    fileprivate static func restore(_ path: String, from file: String) throws -> BackupSummary {
        let fileManager = FileManager.default
        // A log that belongs to a lost database would be applied to this one.
        for file in ["", "-wal", "-journal"].map({ path + $0 }) where fileManager.fileExists(atPath: file) {
            throw Exit.because("\(file) exists: move it away first, because restore replaces nothing", Exit.failure)
        }
        if let obstacle = FileObstacle(of: file) {
            throw Exit.because("\(PathText.of(file)) \(obstacle.sentence())", Exit.failure)
        }
        if let error = SQLiteStore.obstacle(at: path) { throw BackupError.store(error) }
        let draft = try DraftFile(for: path)
        let summary = try SQLiteStore.restore(draft.path, from: file)
        try draft.finish()
        return summary
    }
}

/// The messages of `backup` and `restore`.
enum BackupReport {
    /// The reason why this program neither copies nor restores a database of Firestore.
    static func ofGoogle(_ project: String, _ database: String) -> ExitReason {
        let flags = "--project=\(ShellWord.of(project)) --database=\(ShellWord.of(database))"
        return Exit.because(
            "backups of Firestore are Google's: make them with gcloud firestore backups schedules create \(flags) "
                + "--recurrence=daily --retention=7d, and restore one with gcloud firestore databases restore into a new "
                + "database, which you then name in store. Its first start refuses everything that was issued before",
            Exit.failure)
    }

    /// Runs `body`, and prints the reason if it fails.
    ///
    /// - Parameters:
    ///   - file: The path of the backup.
    ///   - target: The path that must not exist; `nil` for the store itself.
    /// - Throws: Exit 1, or 78 for files with bad permissions, and every other error of `body`.
    static func reportingErrors<Value>(
        _ store: Settings.Store, _ file: String, isTarget target: String?, _ body: () throws -> Value
    ) throws -> Value {
        do {
            return try body()
        } catch let error as DraftFileError {
            switch error {
            case .exists where target != nil:
                throw Exit.because("\(file) exists: name a new file, because a backup is never replaced", Exit.failure)
            case .exists:
                throw Exit.because(
                    "the store \(store) exists: name an empty database, because restore replaces nothing", Exit.failure)
            case .system(let code):
                let sentence = target == nil ? FileObstacle(of: file)?.sentence() : FileObstacle.sentence(making: file)
                let reason = sentence ?? "cannot be used: \(unsafe String(cString: strerror(code)))"
                throw Exit.because("\(PathText.of(file)) \(reason)", Exit.failure)
            }
        } catch let error as BackupError {
            switch error {
            case .notABackup where target != nil: throw StoreError.tablesBehind.exit(for: store)
            case .notABackup:
                throw Exit.because(
                    "\(file) is not a whole backup of a store of this kind: name a file that backup wrote, unpacked and unchanged",
                    Exit.failure)
            case .store(.newerSchema) where target == nil:
                throw Exit.because(
                    "\(file) is of a later version of token-exchange, or a database of another program: use that version, or name "
                        + "another backup", Exit.failure)
            case .store(.corrupt) where target == nil, .store(.unavailable(.notADatabase, _)) where target == nil:
                throw Exit.because(
                    "\(file) is damaged, or not a database of SQLite: unpack it, or name another backup", Exit.failure)
            case .store(.unavailable(.full, _)) where target != nil:
                throw Exit.because(
                    "\(PathText.of(file)) cannot be written, because no space is left in its folder, or in that of the store "
                        + "\(store): df shows both", Exit.failure)
            case .store(let error): throw error.exit(for: store)
            }
        }
    }
}
