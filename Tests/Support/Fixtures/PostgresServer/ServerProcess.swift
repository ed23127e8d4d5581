import Foundation
import Synchronization

/// The first process of a server, a child of this process.
final class ServerProcess: Sendable {
    private let pid: Int32
    private let quitting: Int32
    private let ended = DispatchSemaphore(value: 0)

    /// The folders of the running servers, and the signals that end them, by process id.
    private static let all = Mutex<[Int32: (folder: String, quitting: Int32)]>([:])
    /// Ends every server, and removes its folder, when this process ends.
    private static let atExit: Void = {
        atexit {
            for (pid, server) in ServerProcess.all.withLock(\.self) {
                Glibc.kill(pid, server.quitting)
                for _ in 0..<500 where Glibc.kill(pid, 0) == 0 { usleep(10_000) }
                try? FileManager.default.removeItem(atPath: server.folder)
            }
        }
    }()

    /// Starts the server; its output goes to the file `log` in `folder`.
    ///
    /// `quitting` is the signal that ends it.
    init(_ program: String, _ arguments: [String], folder: String, quitting: Int32 = SIGQUIT) throws {
        self.quitting = quitting
        _ = Self.atExit
        // SIGINT is a fast shutdown. It applies if this process ends without stopping the server.
        let words = Account.privileges + ["--pdeathsig=INT", program] + arguments
        pid = try Self.spawn(words, log: folder + "/log", ended)
        Self.all.withLock { $0[pid] = (folder, quitting) }
    }

    /// Starts the process on a thread that lives as long as the process.
    ///
    /// prctl(2), PR_SET_PDEATHSIG: "the parent" is the thread that made the child. If that thread ended, the server
    /// would be stopped.
    private static func spawn(_ words: [String], log: String, _ ended: DispatchSemaphore) throws -> Int32 {
        let started = DispatchSemaphore(value: 0)
        let result = Mutex<Result<Int32, any Error>>(.failure(PostgresServerError.notStarted))
        let thread = Thread {
            let outcome = Result { try ChildProcess(Account.setpriv, words, log: log) }
            result.withLock { $0 = outcome.map(\.pid) }
            started.signal()
            guard case .success(let child) = outcome else { return }
            child.wait()
            ended.signal()
        }
        thread.start()
        started.wait()
        return try result.withLock(\.self).get()
    }

    var isRunning: Bool { Self.all.withLock { $0[pid] != nil } && Glibc.kill(pid, 0) == 0 }

    /// Sends a signal to all processes of the server.
    func signalAll(_ signal: Int32) {
        // A stopped server starts no more children.
        if signal == SIGSTOP { Glibc.kill(pid, signal) }
        for child in children { Glibc.kill(child, signal) }
        Glibc.kill(pid, signal)
    }

    func killAll() {
        // A stopped server starts no more children.
        Glibc.kill(pid, SIGSTOP)
        for child in children { Glibc.kill(child, SIGKILL) }
        Glibc.kill(pid, SIGKILL)
        wait()
    }

    /// Stops the server with its signal.
    func stop() {
        if isRunning { Glibc.kill(pid, quitting) }
        wait()
    }

    private func wait() {
        ended.wait()
        ended.signal()
        Self.all.withLock { $0[pid] = nil }
    }

    /// The child processes, read from /proc/pid/task/tid/children (proc(5)).
    private var children: [Int32] {
        let text = try? String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
        return (text ?? "").split(separator: " ").compactMap { Int32($0) }
    }
}
