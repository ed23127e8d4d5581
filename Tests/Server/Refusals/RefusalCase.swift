import Testing
import Transport

/// One way to be refused: the reason that the contract promises, and how to come by it.
struct RefusalCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reason: String
    let retry: String?
    /// Members besides those of every refusal.
    let further: [String]
    let plan: Plan
    let provoke: @Sendable (Street) async throws -> OutboundResponse?

    init(
        _ sentence: String, _ reason: String, retry: String? = nil, further: [String] = [], plan: Plan = Plan(),
        _ provoke: @escaping @Sendable (Street) async throws -> OutboundResponse?
    ) {
        testDescription = "\(reason): \(sentence)"
        self.reason = reason
        self.retry = retry
        self.further = further
        self.plan = plan
        self.provoke = provoke
    }

    static let all = requests + grants + idTokens + handoffs + devices + providers + ours + accounts
}
