import Foundation
import Postgres
import Synchronization

/// A PostgreSQL server for the tests, in a temporary folder that contains its socket.
///
/// The server ends with this process, even if this process is killed.
package final class PostgresServer: Sendable {
    /// A server that is started at its first use, and stopped at exit.
    package static let shared = Result { try PostgresServer() }

    private let folder: String
    private let settings: [String]
    private let process = Mutex<ServerProcess?>(nil)
    private let names = Atomic<Int>(0)

    /// Makes a cluster and starts it; `settings`, as `name=value`, are for the whole server.
    package init(settings: [String] = []) throws {
        folder = NSTemporaryDirectory() + "token-exchange-postgres-" + UUID().uuidString.prefix(8)
        self.settings = settings
        try Account.makeFolder(folder)
        try Account.run(
            Programs.path("initdb"),
            [
                "--pgdata=" + data, "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync",
                "--no-instructions",
            ])
        try start()
    }

    /// Makes a streaming replica of another server and starts it; it refuses writes until ``promote()``.
    ///
    /// - Parameter primary: The running server to replicate.
    /// - Throws: ``PostgresServerError``.
    package init(standbyOf primary: PostgresServer) throws {
        folder = NSTemporaryDirectory() + "token-exchange-postgres-" + UUID().uuidString.prefix(8)
        settings = []
        try Account.makeFolder(folder)
        try Account.run(
            Programs.path("pg_basebackup"),
            [
                "--pgdata=" + data, "--host=" + primary.folder, "--username=postgres", "--write-recovery-conf",
                "--checkpoint=fast", "--no-sync",
            ])
        try start()
    }

    /// Makes a standby accept writes, on a timeline of its own; returns when it does.
    package func promote() throws {
        try Account.run(Programs.path("pg_ctl"), ["promote", "--pgdata=" + data, "--wait", "--timeout=60"])
    }

    /// The folder of the socket, used as the host of a connection string.
    package var socketFolder: String { folder }

    private var data: String { folder + "/data" }

    /// Starts the server, and returns when it accepts connections.
    package func start() throws {
        let started = try ServerProcess(
            Programs.path("postgres"),
            ["-D", data]
                + ([
                    "listen_addresses=", "unix_socket_directories=" + folder, "fsync=on", "max_connections=500",
                    "shared_buffers=32MB",
                ] + settings).flatMap { ["-c", $0] },
            folder: folder)
        process.withLock { $0 = started }
        let deadline = ContinuousClock.now + .seconds(60)
        while (try? connect()) == nil {
            guard ContinuousClock.now < deadline, started.isRunning else { throw PostgresServerError.notStarted }
            usleep(10_000)
        }
    }

    /// Kills all of its processes at once, as a loss of power would.
    package func kill() {
        process.withLock { $0?.killAll() }
    }

    /// Stops all of its processes, so that the server does not respond, or continues them.
    package func hold(_ isHeld: Bool) {
        process.withLock { $0?.signalAll(isHeld ? SIGSTOP : SIGCONT) }
    }

    /// Waits until the server has ended, and removes the folder.
    package func stop() {
        process.withLock { $0?.stop() }
        try? FileManager.default.removeItem(atPath: folder)
    }

    deinit { stop() }

    /// Makes an empty schema, and returns a connection string that uses it.
    ///
    /// `settings`, as `name=value`, are for the sessions of this string. `host` is the folder of another socket than
    /// the server's.
    package func place(settings: [String] = [], host: String? = nil) throws -> String {
        let schema = "place\(names.wrappingAdd(1, ordering: .relaxed).newValue)"
        try connect { try $0.run(script: "CREATE SCHEMA \(schema)") }
        return uri(schema: schema, settings: settings, host: host)
    }

    /// Returns the connection string of an existing schema.
    package func uri(schema: String, settings: [String] = [], host: String? = nil) -> String {
        let options = (["search_path=" + schema] + settings).map { "-c%20" + $0.replacing("=", with: "%3D") }
        return "postgresql://postgres@/postgres?host=\(host ?? folder)&options=" + options.joined(separator: "%20")
    }

    /// Runs a statement in a schema, on a connection of its own, and returns the first column of each row.
    ///
    /// That column must be a text.
    @discardableResult
    package func query(_ sql: String, in place: String) throws -> [String] {
        var connection = try Connection.open(ConnectionString(place), name: "test", timeouts: ConnectionTimeouts())
        return try connection.run(.reading(sql)).rows.map { $0.text(0) ?? "" }
    }

    private func connect(_ body: (inout Connection) throws -> Void = { _ in }) throws {
        let uri = "postgresql://postgres@/postgres?host=" + folder
        // A standby counts as started when it accepts readers.
        var connection = try Connection.open(
            ConnectionString(uri + "&target_session_attrs=any"), name: "test", timeouts: ConnectionTimeouts())
        try body(&connection)
    }
}

package enum PostgresServerError: Error {
    /// There is no /usr/lib/postgresql/*/bin; scripts/setup tests installs it.
    case notInstalled
    case notStarted
    case failed(program: String)
}
