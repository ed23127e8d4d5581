import Firebase
import JOSE
import Jansson
import SQLiteStores
import Server
import Support
import Transport

/// What goes wrong on our own side.
extension RefusalCase {
    static let ours: [Self] = [
        Self("the store is shut", "store_unavailable", retry: "same") { street in
            let body = try await street.idTokenBody()
            try street.store.close()
            return try await street.exchange(body)
        },
        Self("the signing key has more to do than it can", "signer_unavailable", retry: "same") { street in
            try await whileSignerIsBusy(street) { try await street.exchange(try await street.idTokenBody()) }
        },
        Self("nothing can be made up", "internal", retry: "restart", plan: .withoutRandomness) {
            try await $0.post("/v1/nonce", Bodies.nonce)
        },
        Self("an address asks too often", "rate_limited", retry: "same", plan: onceAMinute) { street in
            _ = try await street.post("/v1/nonce", Bodies.nonce)
            return try await street.post("/v1/nonce", Bodies.nonce)
        },
        Self("as many are in as may be", "overloaded", retry: "same", plan: .limits { $0.inFlight = 1 }) { street in
            let body = try await street.codeBody()
            street.gate.shut()
            async let first = street.exchange(body)
            await street.gate.isReached()
            let second = try await street.post("/v1/nonce", Bodies.nonce)
            street.gate.open()
            _ = try await first
            return second
        },
        Self("the server is leaving", "draining", retry: "same") { street in
            street.admission.drain()
            return try await street.post("/v1/nonce", Bodies.nonce)
        },
    ]

    private static var onceAMinute: Plan {
        .limits { $0.startsPerAddress = RateLimit(count: 1, period: .seconds(60)) }
    }

    /// Keeps the queue before the key full until an answer says so.
    private static func whileSignerIsBusy(
        _ street: Street, _ ask: () async throws -> OutboundResponse
    ) async throws -> OutboundResponse {
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    while !Task.isCancelled {
                        _ = try? await street.signer.signedToken()
                        await Task.yield()
                    }
                }
            }
            defer { group.cancelAll() }
            var answer = try await ask()
            for _ in 0..<50 where answer.reason != "signer_unavailable" {
                answer = try await ask()
            }
            return answer
        }
    }
}
