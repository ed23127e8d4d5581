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

    /// Returns the error that ends a command with a message.
    package static func because(_ message: String, _ code: ExitCode) -> ExitReason {
        ExitReason(message: message, code: code)
    }

    /// Writes one line to standard error.
    ///
    /// A closed standard error is ignored.
    package static func say(_ message: String) {
        try? FileHandle.standardError.write(contentsOf: Data("\(programName): \(message)\n".utf8))
    }

    /// The file name that the process was started by.
    private static var programName: String {
        CommandLine.arguments.first.flatMap { $0.split(separator: "/").last }.map(String.init) ?? "token-exchange"
    }
}

/// The reason why a command ends without success.
///
/// A command writes it to standard error and exits. A running server writes the reason of a failed reload to its log
/// instead, and continues.
package struct ExitReason: Error, Equatable {
    /// A sentence for the operator, without secrets.
    package let message: String
    package let code: ExitCode
}

/// A program with subcommands that may end with an ``ExitReason``.
package protocol Program: AsyncParsableCommand {}

extension Program {
    package static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let reason as ExitReason {
            Exit.say(reason.message)
            exit(withError: reason.code)
        } catch {
            exit(withError: error)
        }
    }
}

/// The version of both programs.
package let programVersion = "0.1.0"
