internal import ArgumentParser
internal import Foundation

struct Loading: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Sends load to a server and prints the measurements as one line of JSON.")

    @Option(help: "The kind of requests.")
    var traffic = Traffic.exchange

    @Option(help: "The port of the server on loopback.")
    var port: Int

    @Option(help: "The folder of the credentials.")
    var credentials: String

    @Option(help: "The issuer of the ID tokens.")
    var issuer: String

    @Option(help: "The signature algorithm of the ID tokens.")
    var algorithm = TokenForge.Algorithm.es256

    @Option(help: "Number of connections; with --rate, the greatest number.")
    var connections = 64

    @Option(
        help: "Requests per second (open loop). Without it, each connection sends its next request after a response.")
    var rate: Double?

    @Option(help: "With --rate: the distribution of the intervals.")
    var spacing = Schedule.Spacing.poisson

    @Option(help: "Seconds of load before the measurement starts.")
    var warmUp = 1.0

    @Option(help: "Greatest length of the measurement in seconds.")
    var seconds = 3.0

    @Option(help: "Greatest number of requests. They are generated before the load starts.")
    var count = 20_000

    @Option(help: "With --traffic code: the response time of the provider in milliseconds.")
    var delay = 100

    @Option(help: "A process of the server. Its processor time and memory are measured, with its children.")
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
