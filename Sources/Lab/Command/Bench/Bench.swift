internal import ArgumentParser
internal import Firebase
internal import Foundation
internal import JOSE
internal import Jansson
internal import LoadGenerator
internal import OperatorMinting

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

/// Complete custom tokens with three claims, by the signer that the server uses.
enum MintingBench {
    /// Counts the processor time of all threads, as `openssl speed` counts its own, so that other programs on the machine
    /// change neither figure.
    ///
    /// Sixteen callers keep each thread busy, as those of a busy server do: it is handed several at once.
    static func tokensPerSecond(for duration: Duration, threads: Int) async throws -> Double {
        let signer = try CustomTokenSigner(
            serviceAccount: ServiceAccount.parse(Credentials.serviceAccount()), threadCount: threads,
            queueLimit: 64 * threads)
        let claims: [String: JSON] = [
            "idp": .string("yahoo.com"), "idp_uid": .string("UQIDWJNWVNQD4GXZ5NGMZUSTQ4"),
            "proof": .string("id_token_aud"),
        ]
        let process = ProcessTree([ProcessInfo.processInfo.processIdentifier])
        let clock = ContinuousClock()
        let began = clock.now
        let taken = try process.processorTime()
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<16 * threads {
                group.addTask {
                    var count = 0
                    while clock.now - began < duration {
                        _ = try await OperatorMint.token(
                            uid: "yahoo.com:UQIDWJNWVNQD4GXZ5NGMZUSTQ4", claims: claims, tenantID: nil,
                            lifetime: .seconds(300), signer: signer, at: NumericDate(1_700_000_000))
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
