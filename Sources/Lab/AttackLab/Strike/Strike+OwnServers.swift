/// Servers that an attack has for itself.
extension Strike {
    /// One more server, which is stopped however `work` ends.
    func withServer(_ plan: ServerPlan, _ work: (TestServer) async throws -> Void) async throws {
        let bed = try lab.needed(lab.testBed, "processes")
        let server = try await bed.server(plan)
        do {
            try await work(server)
        } catch {
            await bed.stop(server)
            throw error
        }
        await bed.stop(server)
    }

    /// Waits until `/readyz` says `status`: what it says may be a second old.
    @discardableResult func expectReadiness(_ status: Int, of server: TestServer) async -> Answer? {
        for _ in 0..<100 {
            let answer = await server.admin.send(.get("/readyz"), within: .seconds(5)).answer
            if let answer, answer.status == status { return answer }
            try? await Task.sleep(for: .milliseconds(100))
        }
        await found(.wrongAnswer, "/readyz never says \(status).")
        return nil
    }

    /// A second process on the store of the server under attack.
    func withTwin(_ work: (TestServer) async throws -> Void) async throws {
        var plan = ServerPlan("twin-\(attack.id)")
        plan.sharesStore = true
        try await withServer(plan, work)
    }
}
