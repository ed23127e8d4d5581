extension Strike {
    /// A server with another configuration, and the test bed that stops it at the end.
    func withServer(
        _ name: String, _ change: (inout ServerPlan) -> Void = { _ in },
        _ body: (TestServer, TestBed) async throws -> Void
    ) async throws {
        let bed = try lab.needed(lab.testBed, "processes")
        var plan = ServerPlan(name)
        change(&plan)
        try await withServer(plan) { try await body($0, bed) }
    }
}
