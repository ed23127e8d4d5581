import Glibc

/// A program started by posix_spawn(3), without input and with its output in a file.
struct ChildProcess: Sendable {
    let pid: Int32

    init(_ program: String, _ arguments: [String], log: String = "/dev/null") throws {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // The child inherits no other descriptor: a socket of a test would stay open in it.
        for descriptor: Int32 in 3..<1024 { unsafe posix_spawn_file_actions_addclose(&actions, descriptor) }
        // Another user may have no access to the current folder.
        let env = "/usr/bin/env"
        var words: [UnsafeMutablePointer<CChar>?] = unsafe ([env, "--chdir=/", program] + arguments).map {
            unsafe strdup($0)
        }
        unsafe words.append(nil)
        defer { unsafe words.forEach { unsafe free($0) } }
        var pid: Int32 = 0
        guard unsafe posix_spawn(&pid, env, &actions, nil, words, environ) == 0 else {
            throw PostgresServerError.failed(program: program)
        }
        self.pid = pid
    }

    /// Waits for the end of the process; returns whether its exit code is 0.
    @discardableResult
    func wait() -> Bool {
        var status: Int32 = 0
        while unsafe waitpid(pid, &status, 0) < 0 && errno == EINTR {}
        return status == 0
    }
}
