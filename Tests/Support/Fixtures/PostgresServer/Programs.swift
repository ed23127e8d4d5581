import Foundation

/// Debian's programs of PostgreSQL, which are not on the PATH.
enum Programs {
    private static let root = "/usr/lib/postgresql"

    /// Returns the path of a program of the newest installed version.
    static func path(_ name: String) throws -> String {
        let versions = try? FileManager.default.contentsOfDirectory(atPath: root).compactMap(Int.init).sorted(by: >)
        let paths = (versions ?? []).map { "\(root)/\($0)/bin/\(name)" }
        guard let path = paths.first(where: FileManager.default.isExecutableFile(atPath:)) else {
            throw PostgresServerError.notInstalled
        }
        return path
    }
}

/// The user that runs the server: the current one, or `postgres` if that is root, since the server refuses root.
enum Account {
    private static var isRoot: Bool { geteuid() == 0 }

    static let setpriv = "/usr/bin/setpriv"

    /// The arguments of setpriv(1) before the program.
    static var privileges: [String] {
        isRoot ? ["--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
    }

    static func makeFolder(_ path: String) throws {
        try run(
            "/usr/bin/install", ["-d", "-m", "0700"] + (isRoot ? ["-o", "postgres"] : []) + [path], asOurselves: true)
    }

    /// Runs a program, and waits for its end.
    static func run(_ program: String, _ arguments: [String], asOurselves: Bool = false) throws {
        let child =
            asOurselves
            ? try ChildProcess(program, arguments) : try ChildProcess(setpriv, privileges + [program] + arguments)
        guard child.wait() else { throw PostgresServerError.failed(program: program) }
    }
}
