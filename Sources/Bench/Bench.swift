internal import ArgumentParser
internal import Foundation

/// Prints what the program costs, as ratios to what OpenSSL alone costs in the same run.
@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Measures minting and exchanging beside openssl speed.")

    @Option(help: "The server to measure, built for release.")
    var server: String

    @Option(help: "Of each interleaved measurement of minting.")
    var rounds = 5

    @Option(help: "ID tokens to exchange over HTTP.")
    var exchanges = 20_000

    @Option(help: "Requests under way at once.")
    var concurrency = 64

    func run() async throws {
        let minting = try await MintingBench.run(rounds: rounds)
        print(minting.report)
        let exchange = try await ExchangeBench(
            server: server, exchanges: exchanges, concurrency: concurrency, speed: minting.speed
        ).run()
        print(exchange)
    }
}
