internal import ArgumentParser

/// The measuring parts of scripts/bench, each of which prints one line of JSON.
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Loads a server and measures it; scripts/bench calls this.",
        subcommands: [Minting.self, Loading.self, Providing.self, MakingCredentials.self])
}

struct Minting: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Custom tokens a second of processor time; prints the number only.")

    @Option(help: "How long to mint.")
    var seconds = 2

    @Option(help: "Threads that sign.")
    var threads = 1

    func run() async throws {
        print(Int(try await MintingBench.tokensPerSecond(for: .seconds(seconds), threads: threads)))
    }
}

struct MakingCredentials: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credentials",
        abstract: "Makes the keys of a provider, its key set, and a service account, in a folder.")

    @Argument(help: "An existing folder.")
    var folder: String

    func run() throws {
        try Credentials.make(in: folder)
    }
}

struct Providing: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provider", abstract: "A stand-in for a provider: key set and token endpoint.")

    @Option(help: "The folder of the credentials.")
    var credentials: String

    @Option(help: "The port on loopback.")
    var port: Int

    func run() async throws {
        try await ProviderStandIn.run(try Credentials(folder: credentials), port: port)
    }
}
