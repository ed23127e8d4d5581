internal import Jansson

extension Strike {
    /// A server with a store of its own, which the world knows under the name of the usual one.
    ///
    /// The providers have no other callback registered.
    func lonePlan() -> ServerPlan {
        var plan = ServerPlan("alone-\(attack.id)")
        plan.set("server/public_url", .string(lab.server.base))
        return plan
    }

    /// Restarts a server in another time, together with the providers.
    func move(_ server: TestServer, by seconds: Int64) async throws {
        let bed = try lab.needed(lab.testBed, "processes")
        try await bed.stopWatched(server)
        try await standIns.setClock(offset: seconds)
        try await bed.restart(server, clockOffset: seconds)
    }
}
