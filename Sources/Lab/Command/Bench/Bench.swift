internal import ArgumentParser
internal import Firebase
internal import Foundation
internal import JOSE
internal import Jansson
@_spi(OperatorMinting) internal import Minting

/// The measurements of scripts/bench.
///
/// Each subcommand prints its result as one line.
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Sends load to a server and measures it; scripts/bench calls this.",
        subcommands: [Minting.self, Loading.self, Providing.self, MakingCredentials.self])
}

struct Minting: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints how many custom tokens are minted per second of processor time.")

    @Option(help: "Duration in seconds.")
    var seconds = 2

    @Option(help: "Number of signing threads.")
    var threads = 1

    func run() async throws {
        print(Int(try await MintingBench.tokensPerSecond(for: .seconds(seconds), threads: threads)))
    }
}

struct MakingCredentials: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credentials",
        abstract: "Creates the keys of a provider, its key set, and a service account in a folder.")

    @Argument(help: "An existing folder.")
    var folder: String

    func run() throws {
        try Credentials.make(in: folder)
    }
}

struct Providing: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provider", abstract: "Runs a stand-in for a provider: key set and token endpoint.")

    @Option(help: "The folder of the credentials.")
    var credentials: String

    @Option(help: "The port on loopback.")
    var port: Int

    func run() async throws {
        try await ProviderStandIn.run(try Credentials(folder: credentials), port: port)
    }
}

/// Mints complete custom tokens with three claims, with the signer of the server.
enum MintingBench {
    /// Measures the processor time of all threads, like `openssl speed`, so that other programs on the machine do not
    /// affect the result.
    static func tokensPerSecond(for duration: Duration, threads: Int) async throws -> Double {
        let signer = try CustomTokenSigner(
            serviceAccount: ServiceAccount.parse(ServiceAccount.made(for: "bench")), threadCount: threads)
        let claims: [String: JSON] = [
            "idp": .string("yahoo.com"), "idp_uid": .string("UQIDWJNWVNQD4GXZ5NGMZUSTQ4"),
            "proof": .string("id_token_aud"),
        ]
        let process = ProcessTree([ProcessInfo.processInfo.processIdentifier])
        let clock = ContinuousClock()
        let began = clock.now
        let taken = try process.processorTime()
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<threads {
                group.addTask {
                    var count = 0
                    while clock.now - began < duration {
                        _ = try await signer.token(
                            uid: "yahoo.com:UQIDWJNWVNQD4GXZ5NGMZUSTQ4", developerClaims: DeveloperClaims(claims),
                            tenantID: nil, issuedAt: NumericDate(1_700_000_000), lifetime: .seconds(300))
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        return Double(count) * 1e9 / Double(try process.processorTime() - taken)
    }
}
