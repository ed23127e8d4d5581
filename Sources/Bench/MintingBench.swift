internal import Firebase
internal import JOSE
internal import Jansson
internal import OperatorMinting

/// Complete custom tokens with three claims, by the signer that the server uses.
enum MintingBench {
    /// By the processor time of all threads, as `openssl speed` counts its own, so that whatever else runs on the machine
    /// takes part in neither.
    ///
    /// Sixteen callers keep the one thread busy, as those of a busy server do: it is handed several at once.
    static func tokensPerSecond(for duration: Duration) async throws -> Double {
        let signer = try CustomTokenSigner(
            serviceAccount: ServiceAccount.parse(BenchFiles.serviceAccount()), threadCount: 1, queueLimit: 64)
        let claims: [String: JSON] = [
            "idp": .string("yahoo.com"), "idp_uid": .string("UQIDWJNWVNQD4GXZ5NGMZUSTQ4"),
            "proof": .string("id_token_aud"),
        ]
        let clock = ContinuousClock()
        let began = clock.now
        let taken = try ProcessorTime.seconds(of: "self")
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<16 {
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
        return Double(count) / (try ProcessorTime.seconds(of: "self") - taken)
    }
}
