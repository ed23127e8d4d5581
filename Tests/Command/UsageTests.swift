import Foundation
import Testing

@Suite("Command line", .timeLimit(.minutes(5)))
struct UsageTests {
    @Test(
        "Every subcommand prints its help",
        arguments: [
            [], ["serve"], ["signer"], ["health"], ["sweep"], ["doctor"], ["mint"], ["inspect"], ["config"],
            ["config", "check"], ["keys"], ["keys", "create"], ["init"],
        ])
    func help(subcommand: [String]) async throws {
        let outcome = try await Command.run(subcommand + ["--help"])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("USAGE: token-exchange" + subcommand.map { " " + $0 }.joined()))
        #expect(outcome.errors.isEmpty)
    }

    @Test(
        "Every subcommand of the lab prints its help",
        arguments: [[], ["sandbox"], ["attack"], ["naive"], ["bench"], ["bench", "load"]])
    func labHelp(subcommand: [String]) async throws {
        let outcome = try await Command.run(subcommand + ["--help"], of: .lab)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("USAGE: token-exchange-lab" + subcommand.map { " " + $0 }.joined()))
        #expect(outcome.errors.isEmpty)
    }

    @Test("--version prints one line")
    func version() async throws {
        let outcome = try await Command.run("--version")
        #expect(outcome.status == 0)
        #expect(outcome.output == "token-exchange 0.1.0\n")
    }

    @Test(
        "A uid that begins with a hyphen is taken as an option, with what to write",
        arguments: [
            (["accounts", "show", "-Nabc"], "write all options first, and -- before it"),
            (["mint", "--uid", "-Nabc"], "--uid=UID"),
        ])
    func hyphen(arguments: [String], advice: String) async throws {
        let outcome = try await Command.run(arguments)
        #expect(outcome.status == 64)
        #expect(outcome.errors.replacing(/\s+/, with: " ").contains(advice), "\(outcome.errors)")
    }

    @Test(
        "An option before the last word of a command is refused with its place",
        arguments: [["config", "--config", "f"], ["--config", "f", "serve"], ["accounts", "--json", "list"]])
    func misplaced(arguments: [String]) async throws {
        let outcome = try await Command.run(arguments)
        #expect(outcome.status == 64)
        #expect(outcome.errors.hasPrefix("Error: Unknown option '--"), "\(outcome.errors)")
        #expect(outcome.errors.contains("write it after the last word of the command"), "\(outcome.errors)")
    }

    @Test(
        "A command whose output cannot be written fails",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func lostOutput() async throws {
        let full = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
        defer { try? full.close() }
        let command = try RunningCommand(["keys", "create", "--only", "seal"], output: full)
        #expect(await command.end() == 1)
        #expect(
            command.errors.contains("standard output cannot be written (No space left on device)"), "\(command.errors)")
    }

    @Test("The attack command names the missing server program", arguments: ["/nowhere/token-exchange"])
    func missingServer(path: String) async throws {
        let outcome = try await Command.run("attack", "--sandbox", "--program", path, of: .lab)
        #expect(outcome.status == 64)
        #expect(
            outcome.errors
                == "token-exchange-lab: \(path) is not an executable file; name token-exchange with --program\n")
    }

    @Test(
        "Invalid arguments lead to exit code 64 and a message on standard error",
        arguments: [
            ["dance"], ["--dance"], ["serve", "--dance"], ["mint"], ["mint", "--uid"], ["sandbox"],
            ["config", "check", "file"], ["inspect", "a.b.c"], ["backup", "-"],
        ])
    func usage(arguments: [String]) async throws {
        let outcome = try await Command.run(arguments)
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("Error: "))
    }
}
