internal import Jansson

/// Steps that the modules of the conformance suite share.
extension AttackContext {
    /// Signs in by the code flow with an ID token that the provider changes as `claims` describes.
    ///
    /// - `claims`: The body of `PUT /claims`; `nil` for a valid token.
    /// - `tokens`: The fault of the token endpoint, in the format of `PUT /faults`.
    func codeFlow(claims: JSON? = nil, tokens: [String: JSON] = [:]) async throws -> Request {
        let code = try await yahooCode()
        if let claims { try await standIns.claims(claims) }
        if !tokens.isEmpty {
            try await standIns.fault(.object(tokens.merging(["target": "yahoo.token"]) { $1 }))
        }
        return exchange(code)
    }

    /// Expects a custom token for the user who signed in.
    func accepts(claims: JSON? = nil, tokens: [String: JSON] = [:]) async throws {
        let request = try await codeFlow(claims: claims, tokens: tokens)
        let answer = await expectAccepted(request)
        await expect(
            answer == nil || answer?["provider_uid"] == "ALICEWJNWVNQD4GXZ5NGMZUST4", .wrongAnswer,
            "The response is about another user.")
    }

    /// Returns the requests to one endpoint that the stand-ins recorded since a mark.
    func calls(of endpoint: String, since mark: Int64) async throws -> [JSON] {
        try await standIns.requests(since: mark).filter { $0["endpoint"]?.string == endpoint }
    }
}

/// Creates attacks from modules.
struct ConformanceModule: Sendable {
    let prefix: String

    /// Returns the attacks of modules in which the ID token of the code flow has a defect of ``ForgedTokens``.
    func rejects(_ modules: [(name: String, forgery: String)]) -> [Attack] {
        modules.flatMap { name, id in
            ForgedTokens.rows.flatMap { row in
                row.forgeries.filter { row.id + $0.letter == id }.map { forgery in
                    attack(
                        name, row.severity, TokenDoor.redeemedCode.sentence(forgery.what),
                        oracle: "The server rejects the token and makes no further call.",
                        reveals: row.reveals.union(forgery.reveals), run: row.run(forgery, at: .redeemedCode))
                }
            }
        }
    }

    func attack(
        _ name: String, _ severity: Severity, _ sentence: String, oracle: String, needs: Set<Need> = [.standIns],
        reveals: Set<Mistake> = [], run: @escaping @Sendable (AttackContext) async throws -> Void
    ) -> Attack {
        Attack(
            prefix + name, .idToken, severity, sentence, oracle: oracle,
            source: prefix == "OIDC-"
                ? "OIDF conformance suite, oidcc-client-test" : "OIDF conformance suite, FAPI 2.0",
            needs: needs, reveals: reveals, run: run)
    }
}
