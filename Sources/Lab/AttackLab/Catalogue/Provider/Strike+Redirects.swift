internal import Jansson

extension Strike {
    /// Makes an endpoint redirect in every way, and fires a request that asks it.
    ///
    /// - `path`: of the endpoint, with which the other host would be asked as well.
    /// - `wire`: nil for the server under attack.
    func redirects(
        of target: String, to path: String, at wire: Wire? = nil,
        expecting expectation: Expectation = .unusable("provider_error"), _ request: () async throws -> Request
    ) async throws {
        let hostile = try standIns.addresses.hostile
        let own = try target.hasPrefix("x.") ? standIns.addresses.x : standIns.addresses.yahoo
        let hops: [(status: Int64, location: String)] = [
            (301, hostile + path), (302, hostile + path), (303, hostile + path), (307, hostile + path),
            (308, hostile + path), (302, hostile.replacing("http:", with: "")), (307, own + path), (302, path),
            (302, "file:///etc/passwd"), (307, hostile.replacing("127.0.0.1", with: "localhost") + path),
        ]
        for (status, location) in hops {
            let request = try await request()
            let mark = try await mark()
            try await standIns.fault([
                "target": .string(target), "status": .integer(status), "body": "{}",
                "header": ["Location": .string(location)],
            ])
            await fire(request, expecting: expectation, at: wire)
            try await expectCalls([target: 1], since: mark)
        }
        try await standIns.fault(["target": .string(target), "times": 1, "delay_ms": 0])
    }
}
