internal import ArgumentParser
internal import Foundation
internal import Logging
internal import Settings

@main
struct TokenExchangeLab: Program {
    static let configuration = CommandConfiguration(
        commandName: "token-exchange-lab",
        abstract: "Stand-ins for the providers, attacks, a weak backend and load, to develop and test token-exchange.",
        discussion: """
            Do not install it on a production server.

            Exit codes: 0 success, 1 failure, 64 wrong arguments, 78 invalid file.
            """,
        version: "token-exchange-lab \(programVersion)",
        subcommands: [SandboxCommand.self, AttackCommand.self, NaiveCommand.self, Bench.self])

    /// The executable of this process.
    /// - Throws: Exit 1 if the system does not report its path.
    static func executable() throws -> String {
        guard let path = Bundle.main.executablePath else {
            throw Exit.because("the system does not report the path of this program", Exit.failure)
        }
        return path
    }
}

extension Logger {
    /// Writes warnings and errors to standard error.
    static let warnings = Logger(label: "token-exchange-lab") { label in
        var handler = StreamLogHandler.standardError(label: label)
        handler.logLevel = .warning
        return handler
    }
}
