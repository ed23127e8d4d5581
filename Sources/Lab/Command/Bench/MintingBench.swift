internal import Firebase
internal import Foundation
internal import JOSE
internal import Jansson
internal import LoadGenerator
internal import Minting
internal import OperatorMinting

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
