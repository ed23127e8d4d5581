internal import ArgumentParser
internal import PostgresServer

/// The two measurements that scripts/bench sets beside `openssl speed`.
@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Measures minting and exchanging.",
        subcommands: [Minting.self, Exchanging.self])
}

struct Minting: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Custom tokens a second of processor time on one signing thread; prints the number alone.")

    @Option(help: "How long to mint.")
    var seconds = 2

    func run() async throws {
        print(Int(try await MintingBench.tokensPerSecond(for: .seconds(seconds))))
    }
}

struct Exchanging: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "ID tokens exchanged over HTTP, and what each costs the server in processor time.")

    @Option(help: "The server to measure, built for release.")
    var server: String

    @Flag(help: "On a PostgreSQL of its own, from Debian's packages, in the place of SQLite.")
    var postgres = false

    @Option(help: "ID tokens to exchange.")
    var exchanges = 20_000

    @Option(help: "Requests under way at once.")
    var concurrency = 64

    func run() async throws {
        let cluster = postgres ? try PostgresServer(settings: ["shared_buffers=128MB"]) : nil
        defer { cluster?.stop() }
        print(
            try await ExchangeBench(
                server: server, postgres: try cluster?.place(), exchanges: exchanges, concurrency: concurrency
            ).run())
    }
}

/// Why there is no measurement.
enum BenchError: Error {
    case serverNotReady
    /// /proc does not tell what the server took.
    case unreadableProcess
    case exchangeFailed(status: Int)
}
