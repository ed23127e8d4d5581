internal import Foundation
internal import Glibc

/// A running program, with its output in a file.
final class ChildProcess {
    private let process = Process()
    let log: LogFile

    /// - `clockOffset`: seconds; anything but 0 needs `faketime`.
    init(
        _ executable: String, _ arguments: [String], log path: String, environment: [String: String] = [:],
        clockOffset: Int64 = 0, prelude: String = ""
    ) throws {
        log = LogFile(path: path)
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        guard let output = FileHandle(forWritingAtPath: path) else { throw Inconclusive("\(path) cannot be written.") }
        try output.seekToEnd()
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        var variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        if clockOffset == 0 {
            process.executableURL = URL(fileURLWithPath: executable)
            process.arguments = arguments
        } else {
            guard let faketime = Self.faketime else { throw Inconclusive("There is no faketime here.") }
            // Only the calendar clock is changed, so that deadlines keep their length.
            variables["FAKETIME_DONT_FAKE_MONOTONIC"] = "1"
            variables["DONT_FAKE_MONOTONIC"] = "1"
            // The times of files are not changed, because a server recognizes its database by them.
            variables["NO_FAKE_STAT"] = "1"
            process.executableURL = URL(fileURLWithPath: faketime)
            let offset = clockOffset > 0 ? "+\(clockOffset)s" : "\(clockOffset)s"
            process.arguments = ["-m", "-f", offset, executable] + arguments
        }
        if !prelude.isEmpty, let program = process.executableURL?.path, let rest = process.arguments {
            // POSIX.1-2017, exec: resource limits and ignored signals are kept.
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", prelude + "; exec \"$0\" \"$@\"", program] + rest
        }
        process.environment = variables
        try process.run()
    }

    /// The path of the command `faketime`; `nil` if it is not in PATH.
    static var faketime: String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { $0 + "/faketime" }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }

    var isRunning: Bool { process.isRunning }

    /// The exit code; `nil` while the program runs.
    var exitCode: Int32? { process.isRunning ? nil : process.terminationStatus }

    /// Sends a signal to the program.
    ///
    /// If `faketime` is its parent, the child receives the signal.
    func send(_ signal: Int32) {
        if let processID { kill(processID, signal) }
    }

    /// The id of the program's own process; `nil` if it does not run.
    var processID: Int32? {
        guard process.isRunning else { return nil }
        let own = process.processIdentifier
        let children = FileHandle(forReadingAtPath: "/proc/\(own)/task/\(own)/children")
        let list = (try? children?.readToEnd()) ?? Data()
        let first = list.split(separator: UInt8(ascii: " ")).first
        return first.flatMap { Int32(String(decoding: $0, as: UTF8.self)) } ?? own
    }

    /// Whether the program ended in time.
    func hasEnded(within timeout: Duration, isolation: isolated (any Actor)? = #isolation) async -> Bool {
        let end = ContinuousClock.now + timeout
        while process.isRunning {
            guard ContinuousClock.now < end else { return false }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return true
    }
}
