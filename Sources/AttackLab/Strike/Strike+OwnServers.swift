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

    /// A second process on the store of the server under attack.
    func withTwin(_ work: (TestServer) async throws -> Void) async throws {
        var plan = ServerPlan("twin-\(attack.id)")
        plan.sharesStore = true
        try await withServer(plan, work)
    }
}
