import Testing

@Suite("Command line", .timeLimit(.minutes(5)))
struct UsageTests {
    @Test(
        "Every subcommand explains itself",
        arguments: [[], ["serve"], ["sandbox"], ["mint"], ["inspect"], ["config"], ["config", "check"]])
    func help(subcommand: [String]) async throws {
        let outcome = try await Command.run(subcommand + ["--help"])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("USAGE: token-exchange" + subcommand.map { " " + $0 }.joined()))
        #expect(outcome.errors.isEmpty)
    }

    @Test("The version is one line")
    func version() async throws {
        let outcome = try await Command.run("--version")
        #expect(outcome.status == 0)
        #expect(outcome.output == "token-exchange 0.1.0\n")
    }

    @Test(
        "Wrong use of the command line leaves with 64, and says so on standard error",
        arguments: [
            ["dance"], ["--dance"], ["serve", "--dance"], ["mint"], ["mint", "--uid"], ["sandbox", "--x-port", "many"],
            ["config", "check", "file"], ["inspect", "a.b.c"],
        ])
    func usage(arguments: [String]) async throws {
        let outcome = try await Command.run(arguments)
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("Error: "))
    }
}
