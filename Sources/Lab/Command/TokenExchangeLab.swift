internal import ArgumentParser
internal import CommandSupport
internal import Foundation
internal import Logging

@main
struct TokenExchangeLab: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token-exchange-lab",
        abstract: "Stand-ins for the providers, attacks, a weak backend and load, to develop and test token-exchange.",
        discussion: """
            Nothing of it belongs on a server that people sign in at.

            Exit codes: 0 done, 1 failed, 64 wrong use of the command line, 78 wrong file.
            """,
        version: "token-exchange-lab \(programVersion)",
        subcommands: [SandboxCommand.self, AttackCommand.self, NaiveCommand.self, Bench.self])

    /// The executable of this process.
    ///
    /// - Throws: Exit 1 if the system does not tell it.
    static func executable() throws -> String {
        guard let path = Bundle.main.executablePath else {
            throw Exit.because("the system does not tell where this program is stored", Exit.failure)
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
