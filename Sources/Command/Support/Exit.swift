package import ArgumentParser
internal import Foundation

/// The exit codes of both programs, as in sysexits(3).
package enum Exit {
    package static let failure = ExitCode(1)
    /// The argument parser itself exits with this code for an invalid command line.
    ///
    /// The commands do so if only the configuration shows that an argument is wrong.
    package static let usage = ExitCode(64)
    package static let configuration = ExitCode(78)

    /// Writes the reason to standard error and returns the code to throw.
    package static func because(_ message: String, _ code: ExitCode) -> ExitCode {
        say(message)
        return code
    }

    /// Receives the messages of the current task instead of standard error; `nil` for standard error.
    ///
    /// A running server reports the reason of a failed reload in its log, in the format of the log.
    @TaskLocal package static var receiver: (@Sendable (String) -> Void)?

    /// Writes one line to standard error.
    ///
    /// A closed standard error is ignored.
    package static func say(_ message: String) {
        if let receiver { return receiver(message) }
        try? FileHandle.standardError.write(contentsOf: Data("\(programName): \(message)\n".utf8))
    }

    /// The file name that the process was started by.
    private static var programName: String {
        CommandLine.arguments.first.flatMap { $0.split(separator: "/").last }.map(String.init) ?? "token-exchange"
    }
}

/// The version of both programs.
package let programVersion = "0.1.0"
