import Testing

@Suite("Refusals", .serialized, .timeLimit(.minutes(5)))
struct RefusalTests {
    @Test("A refusal has the reason, status, error and code of the contract", arguments: RefusalCase.all)
    func refusal(_ refusal: RefusalCase) async throws {
        try await Street.open(refusal.plan) { street in
            try expectRefusal(
                try await refusal.provoke(street), refusal.reason, retry: refusal.retry,
                further: refusal.further)
        }
    }

    @Test("Every reason of the contract is provoked")
    func everyReason() {
        #expect(Set(RefusalCase.all.map(\.reason)).union(Contract.elsewhere) == Set(Contract.rows.keys))
    }
}
