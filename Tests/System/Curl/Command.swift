import Foundation

/// An external program that a test needs.
enum Command {
    enum Failure: Error {
        case missing(program: String, package: String)
        case failed(program: String, status: Int32, output: String)
    }

    /// Runs a program to its end, and returns what it wrote to both outputs.
    ///
    /// The program inherits no sockets, which would keep connections open. It may leave a daemon behind, for which the
    /// `Process` of Foundation would wait too. `package` is the Debian package of the program, for the error if the
    /// program is missing.
    @discardableResult
    static func run(_ program: String, from package: String, _ arguments: [String]) throws -> [UInt8] {
        let places = ["/usr/bin", "/usr/sbin", "/bin"].map { "\($0)/\(program)" }
        guard let path = places.first(where: FileManager.default.isExecutableFile) else {
            throw Failure.missing(program: program, package: package)
        }
        let output = FileManager.default.temporaryDirectory.appendingPathComponent("output-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: output) }
        let status = status(of: path, arguments, writingTo: output.path)
        // `Data(contentsOf:)` leaks a buffer if the file is empty.
        let written = try FileHandle(forReadingFrom: output).readToEnd() ?? Data()
        guard status == 0 else {
            throw Failure.failed(program: program, status: status, output: String(decoding: written, as: UTF8.self))
        }
        return [UInt8](written)
    }

    private static func status(of path: String, _ arguments: [String], writingTo output: String) -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
        for descriptor: Int32 in 3..<1024 { unsafe posix_spawn_file_actions_addclose(&actions, descriptor) }

        // Threads of a concurrency runtime block signals, and a child inherits that: a daemon could not be stopped.
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var noSignals = sigset_t()
        unsafe sigemptyset(&noSignals)
        unsafe posix_spawnattr_setsigmask(&attributes, &noSignals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        var words: [UnsafeMutablePointer<CChar>?] = unsafe ([path] + arguments).map { unsafe strdup($0) }
        unsafe words.append(nil)
        defer { unsafe words.forEach { unsafe free($0) } }
        var process = pid_t()
        guard unsafe posix_spawn(&process, path, &actions, &attributes, words, environ) == 0 else { return -1 }
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        // The exit status, as encoded by waitpid (POSIX, <sys/wait.h>), or the signal that killed the process.
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : status
    }
}
