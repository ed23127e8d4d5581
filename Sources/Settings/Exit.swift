package import ArgumentParser
internal import Foundation
internal import Synchronization

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

    /// Writes one message to standard error.
    ///
    /// On Cloud Run it is one entry of the log, also if it has several lines, and an error unless it is a warning. A closed
    /// standard error is ignored.
    package static func say(_ message: String) {
        try? FileHandle.standardError.write(
            contentsOf: Data((entry(message) ?? "\(programName): \(message)").utf8) + Data("\n".utf8))
    }

    /// The line of JSON that Google Cloud reads as an entry; `nil` if this process does not run there.
    private static func entry(_ message: String) -> String? {
        guard ProcessInfo.processInfo.environment.areOfCloudRun else { return nil }
        let severity = message.hasPrefix("warning: ") ? "WARNING" : "ERROR"
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try? String(
            decoding: encoder.encode(["message": "\(programName): \(message)", "severity": severity]), as: UTF8.self)
    }

    private static let skipsHandlers = Atomic<Bool>(false)

    /// Lets this process end without the exit handlers of its libraries.
    ///
    /// Call this before the library of a PKCS#11 token is loaded. The handlers of that library and of OpenSSL run in an
    /// order that neither knows: the one frees what the other, or a task of this process that has not ended yet, still
    /// uses. The process would crash although its work is done.
    package static func skipHandlers() { skipsHandlers.store(true, ordering: .releasing) }

    /// Writes what is buffered, and ends the process.
    ///
    /// It ends without success if standard output does not take it, so that the file of `accounts export` on a full disk
    /// does not count as a copy. A closed standard output is ignored.
    static func end(_ code: ExitCode) -> Never {
        var code = code
        if fflush(nil) != 0, errno != EBADF {
            let reason = unsafe String(cString: strerror(errno))
            say("standard output cannot be written (\(reason)), so that the output is missing or is not whole")
            if code == .success { code = failure }
        }
        guard skipsHandlers.load(ordering: .acquiring) else { Foundation.exit(code.rawValue) }
        _exit(code.rawValue)
    }

    /// Ends the process after an error that the argument parser describes.
    static func end<Command: ParsableArguments>(_ command: Command.Type, with error: any Error) -> Never {
        let message = command.fullMessage(for: error)
        if message.contains("Unknown option"), message.contains("<subcommand>") {
            let advice =
                "  If a command has this option, write it after the last word of the command, as in token-exchange config check "
                + "--config FILE."
            try? FileHandle.standardError.write(contentsOf: Data("\(message)\n\(advice)\n".utf8))
            end(command.exitCode(for: error))
        }
        guard skipsHandlers.load(ordering: .acquiring) else { command.exit(withError: error) }
        say(message)
        end(command.exitCode(for: error))
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
            Exit.end(.success)
        } catch let reason as ExitReason {
            Exit.say(reason.message)
            Exit.end(reason.code)
        } catch {
            Exit.end(self, with: error)
        }
    }
}

/// The version of both programs.
package let programVersion = "0.1.0"
