internal import Foundation
internal import PostgresStores
internal import Settings

/// The programs pg_dump and psql of PostgreSQL, with the connection of the configuration.
///
/// The connection string is in a file that only this user can read, so that a password is neither in the arguments nor
/// in the environment of the program.
struct PostgresTools: ~Copyable {
    private static let service = "token-exchange"
    private let folder: URL

    /// Writes the connection string into a folder of its own, which is removed with this value.
    ///
    /// - Parameter conninfo: A connection URI or keywords for libpq.
    /// - Throws: Exit 78 for a string that libpq refuses, exit 1 if the file cannot be written.
    init(conninfo: String) throws {
        guard let text = PostgresStore.serviceFile(Self.service, conninfo: conninfo) else {
            throw Exit.because("the connection string of store cannot be read", Exit.configuration)
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "token-exchange-\(UUID())")
        let file = folder.appending(path: "service").path
        try? FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        guard
            FileManager.default.createFile(
                atPath: file, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        else {
            try? FileManager.default.removeItem(at: folder)
            throw Exit.because("the file \(file) cannot be written: check TMPDIR", Exit.failure)
        }
        self.folder = folder
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - name: `pg_dump` or `psql`.
    ///   - arguments: The arguments, without those of the connection.
    ///   - output: Receives what the program writes to its standard output.
    /// - Throws: Exit 1 if the program is missing or fails, after writing its own message to standard error.
    func run(_ name: String, _ arguments: [String], to output: FileHandle = .nullDevice) throws {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let candidates = path.split(separator: ":").map { "\($0)/\(name)" }
        guard let program = candidates.first(where: FileManager.default.isExecutableFile) else {
            throw Exit.because(
                "\(name) is in no folder of PATH (\(path)): install the client programs of PostgreSQL, in the version of the server "
                    + "(Debian: postgresql-client)", Exit.failure)
        }
        let process = Process()
        process.executableURL = URL(filePath: program)
        // --no-password: a program without a password fails, and does not ask on the terminal.
        process.arguments = ["--dbname=service=\(Self.service)", "--no-password"] + arguments
        // The variables of libpq, such as PGPASSFILE, have the same effect as for `serve`.
        process.environment = ProcessInfo.processInfo.environment.merging([
            "LC_ALL": "C.UTF-8", "PGSERVICEFILE": folder.appending(path: "service").path,
        ]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        let errors = Pipe()
        process.standardError = errors
        do {
            try process.run()
        } catch {
            throw Exit.because("\(program) cannot be started", Exit.failure)
        }
        let text = String(decoding: (try? errors.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let words = text.trimmingCharacters(in: .whitespacesAndNewlines)
            throw Exit.because("\(name) failed: \(words)\(Self.advice(on: words))", Exit.failure)
        }
    }

    /// What to add to the words of a program that has another version than the server or the backup.
    static func advice(on words: String) -> String {
        let marks = ["server version mismatch", "unrecognized configuration parameter", "invalid command \\restrict"]
        guard marks.contains(where: { words.contains($0) }) else { return "" }
        return
            ". The versions of PostgreSQL differ: use pg_dump and psql in the version of the server, with their folder first in "
            + "PATH, and restore a backup into the version of its server, or a later one"
    }
}
