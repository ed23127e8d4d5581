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
        abstract: "ID tokens exchanged over HTTP, and what each costs the server beside bare signing and verifying.")

    @Option(help: "The server to measure, built for release.")
    var server: String

    @Flag(help: "On a PostgreSQL of its own, from Debian's packages, in the place of SQLite.")
    var postgres = false

    @Option(help: "What openssl speed says of rsa2048: signatures a second on one core.")
    var signatures: Double

    @Option(help: "What it says of ecdsap256: verifications a second on one core.")
    var verifications: Double

    @Option(help: "ID tokens to exchange.")
    var exchanges = 20_000

    @Option(help: "Requests under way at once.")
    var concurrency = 64

    func run() async throws {
        let bare = 1 / signatures + 1 / verifications
        let cluster = postgres ? try PostgresServer(settings: ["shared_buffers=128MB"]) : nil
        defer { cluster?.stop() }
        print(
            try await ExchangeBench(
                server: server, postgres: try cluster?.place(), exchanges: exchanges, concurrency: concurrency,
                bareSeconds: bare
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
