internal import ArgumentParser
internal import Foundation
internal import LoadGenerator

struct Loading: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Loads a server; prints what was measured as one line of JSON.")

    @Option(help: "What is sent.")
    var traffic = Traffic.exchange

    @Option(help: "The port of the server on loopback.")
    var port: Int

    @Option(help: "The folder of the credentials.")
    var credentials: String

    @Option(help: "The issuer of the ID tokens.")
    var issuer: String

    @Option(help: "ES256 or RS256.")
    var algorithm = TokenForge.Algorithm.es256

    @Option(help: "Connections; with --rate, at most so many.")
    var connections = 64

    @Option(
        help: "Requests a second, whatever the answers (open loop). Without it, each connection waits for its answer.")
    var rate: Double?

    @Option(help: "With --rate: even or poisson.")
    var spacing = Schedule.Spacing.poisson

    @Option(help: "Seconds before anything counts.")
    var warmUp = 1.0

    @Option(help: "Seconds that count, at most.")
    var seconds = 3.0

    @Option(help: "Requests, at most. Each one is made before the load begins.")
    var count = 20_000

    @Option(help: "How long the provider takes to answer, in milliseconds (code).")
    var delay = 100

    @Option(help: "A process of the server, whose processor time and memory are measured with its children.")
    var server: [Int32] = []

    @Option(help: "A process of its database.")
    var database: [Int32] = []

    func run() async throws {
        let forge = TokenForge(try Credentials(folder: credentials), issuer: issuer, algorithm: algorithm)
        let workload = try await traffic.workload(count, by: forge, port: port, delay: delay)
        let plan = LoadPlan(
            port: port, connections: connections, pace: rate.map { .open(rate: $0, spacing: spacing) } ?? .closed,
            warmUp: .microseconds(Int64(warmUp * 1e6)), length: .microseconds(Int64(seconds * 1e6)), server: server,
            database: database)
        let report = try await Load.run(plan, workload)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(report), as: UTF8.self))
    }
}

extension Schedule.Spacing: ExpressibleByArgument {}
extension TokenForge.Algorithm: ExpressibleByArgument {}
extension Traffic: ExpressibleByArgument {}
