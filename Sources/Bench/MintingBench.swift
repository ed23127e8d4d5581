internal import Foundation
internal import Firebase
internal import JOSE
internal import Jansson
internal import OpenSSL
internal import OperatorMinting

/// Custom tokens a second on one signing thread, in turns with `openssl speed`.
enum MintingBench {
    struct Result {
        let report: String
        let speed: OpenSSLSpeed
    }

    static func run(rounds: Int) async throws -> Result {
        let signer = try CustomTokenSigner(serviceAccount: account(), threadCount: 1, queueLimit: 64)
        let claims: [String: JSON] = [
            "idp": .string("yahoo.com"), "idp_uid": .string("UQIDWJNWVNQD4GXZ5NGMZUSTQ4"), "proof": .string("id_token_aud"),
        ]
        var ratios: [Double] = []
        var speeds: [OpenSSLSpeed] = []
        var rates: [Double] = []
        for _ in 0..<rounds {
            let speed = try OpenSSLSpeed.measure()
            let rate = try await tokensPerSecond(signer, claims)
            speeds.append(speed)
            rates.append(rate)
            ratios.append(rate / speed.rsa2048Signatures)
        }
        let speed = OpenSSLSpeed(
            rsa2048Signatures: median(speeds.map(\.rsa2048Signatures)),
            p256Verifications: median(speeds.map(\.p256Verifications)))
        let report = """
            minting, one signing thread (median of \(rounds) rounds)
              openssl speed rsa2048        \(Int(speed.rsa2048Signatures)) signatures/s
              custom tokens                \(Int(median(rates))) tokens/s
              ratio                        \(rounded(median(ratios))) (\(rounded(ratios.min() ?? 0)) to \(rounded(ratios.max() ?? 0)))
            """
        return Result(report: report, speed: speed)
    }

    /// Two callers keep one thread busy, so that a hand-over does not leave it idle.
    private static func tokensPerSecond(_ signer: CustomTokenSigner, _ claims: [String: JSON]) async throws -> Double {
        let clock = ContinuousClock()
        let began = clock.now
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var count = 0
                    while clock.now - began < .seconds(1) {
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
        return Double(count) / ((clock.now - began) / .seconds(1))
    }

    private static func account() throws -> ServiceAccount {
        try ServiceAccount.parse(BenchFiles.serviceAccount())
    }
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
}

func rounded(_ value: Double) -> String { String(format: "%.2f", value) }
