import Foundation

/// The built programs, each run as a process of its own.
enum Command {
    enum Program: String, Sendable {
        case server = "token-exchange"
        case lab = "token-exchange-lab"

        /// The executable, which is in the folder of the test bundle.
        var file: URL {
            URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: rawValue)
        }
    }

    struct Outcome: Sendable {
        let status: Int32
        let output: String
        let errors: String
    }

    /// Runs a program to its end, without the environment of this process.
    static func run(
        _ arguments: String..., of program: Program = .server, environment: [String: String] = [:], input: String = ""
    ) async throws -> Outcome {
        try await run(arguments, of: program, environment: environment, input: input)
    }

    static func run(
        _ arguments: [String], of program: Program = .server, environment: [String: String] = [:], input: String = ""
    ) async throws -> Outcome {
        let running = try RunningCommand(arguments, of: program, environment: environment, input: input)
        let status = await running.end()
        return Outcome(status: status, output: running.output, errors: running.errors)
    }
}
