import Foundation

/// The built binary, run as a process of its own.
enum Command {
    struct Outcome: Sendable {
        let status: Int32
        let output: String
        let errors: String
    }

    /// Beside the bundle of these tests.
    static var binary: URL {
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "token-exchange")
    }

    /// Runs it to its end, with nothing of this process's environment.
    static func run(
        _ arguments: String..., environment: [String: String] = [:], input: String = ""
    ) async throws -> Outcome {
        try await run(arguments, environment: environment, input: input)
    }

    static func run(
        _ arguments: [String], environment: [String: String] = [:], input: String = ""
    ) async throws -> Outcome {
        let running = try RunningCommand(arguments, environment: environment, input: input)
        let status = await running.end()
        return Outcome(status: status, output: running.output, errors: running.errors)
    }
}
