extension StandIns {
    /// The person at the browser opens the provider's page and decides; where that sends the browser then.
    ///
    /// - `user`: `alice`, `bjorn`, `kobayashi`, `carol` or `mallory`.
    func decide(at authorizationURL: String, as user: String = "alice", allow: Bool = true) async throws -> String {
        guard let path = authorizationURL.firstIndex(of: "?"),
            let slash = authorizationURL.dropFirst(8).firstIndex(of: "/")
        else { throw Inconclusive("The authorization URL has no query.") }
        let base = String(authorizationURL[..<slash])
        let page = String(authorizationURL[slash..<path])
        let query = PercentEncoding.parameters(authorizationURL[path...].dropFirst())
        var form = query.map { ($0.name, $0.value) }
        form += [("user", user), ("decision", allow ? "allow" : "deny")]
        let wire = Wire(base: base)
        guard let shown = await wire.send(.get(page + authorizationURL[path...])).answer, shown.status == 200 else {
            throw Inconclusive("The provider's page did not open.")
        }
        guard let answer = await wire.send(.form(page + "/decision", form)).answer,
            let location = answer.field("location")
        else { throw Inconclusive("The provider sent the browser nowhere.") }
        return location
    }
}
