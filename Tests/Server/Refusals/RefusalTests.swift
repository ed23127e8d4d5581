import Support
import Testing
import Transport

@Suite("Refusals", .serialized, .timeLimit(.minutes(5)))
struct RefusalTests {
    @Test("A refusal has the reason, status, error and code of the contract", arguments: RefusalCase.all)
    func refusal(_ refusal: RefusalCase) async throws {
        try await TestServer.open(refusal.plan) { server in
            try expectRefusal(
                try await refusal.provoke(server), refusal.reason, retry: refusal.retry,
                further: refusal.further)
        }
    }

    @Test("Every reason of the contract is provoked")
    func everyReason() throws {
        #expect(try Set(RefusalCase.all.map(\.reason)).union(Contract.elsewhere) == Set(Contract.rows().keys))
    }
}

/// A refusal: the reason in the contract, and the request that causes it.
struct RefusalCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reason: String
    let retry: String?
    /// Additional members of the response.
    let further: [String]
    let plan: Plan
    let provoke: @Sendable (TestServer) async throws -> OutboundResponse?

    init(
        _ sentence: String, _ reason: String, retry: String? = nil, further: [String] = [], plan: Plan = Plan(),
        _ provoke: @escaping @Sendable (TestServer) async throws -> OutboundResponse?
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
