internal import Jansson

/// The steps that modules of the conformance suite have in common.
extension Strike {
    /// A sign-in by the code flow, where the provider makes its ID token as `claims` says.
    ///
    /// - `claims`: in the words of `PUT /claims`; nil for a right token.
    /// - `tokens`: how the token endpoint's answer is spoilt, in the words of `PUT /faults`.
    func codeFlow(claims: JSON? = nil, tokens: [String: JSON] = [:], at wire: Wire? = nil) async throws -> Request {
        let code = try await yahooCode()
        if let claims { try await standIns.claims(claims) }
        if !tokens.isEmpty {
            try await standIns.fault(.object(tokens.merging(["target": "yahoo.token"]) { $1 }))
        }
        return exchange(code)
    }

    /// The ID token must be refused, after one call of the token endpoint and none of another.
    func rejects(claims: JSON, reasons: Set<String>) async throws {
        let request = try await codeFlow(claims: claims)
        let mark = try await mark()
        await fire(request, expecting: Expectation(statuses: [400], errors: ["invalid_grant"], reasons: reasons))
        try await expectCalls(["yahoo.token": 1, "yahoo.userinfo": 0], since: mark)
    }

    /// The answer must be accepted, with a custom token for who signed in.
    func accepts(claims: JSON? = nil, tokens: [String: JSON] = [:]) async throws {
        let request = try await codeFlow(claims: claims, tokens: tokens)
        let answer = await expectAccepted(request)
        await expect(
            answer == nil || answer?["provider_uid"] == "ALICEWJNWVNQD4GXZ5NGMZUST4", .wrongAnswer,
            "The response is about another person.")
    }

    /// What the stand-ins saw of one endpoint since.
    func calls(of endpoint: String, since mark: Int64) async throws -> [JSON] {
        try await standIns.requests(since: mark).filter { $0["endpoint"]?.string == endpoint }
    }

    /// A sign-in whose redirect the application owns, up to the URL to which the provider redirects.
    func ownRedirect(
        provider: String, parameters: JSON = [:], at wire: Wire? = nil
    ) async throws -> (session: String, callbackURL: String) {
        let begun = try await honest(
            .json(
                "/v1/signin",
                [
                    "client_id": .string(lab.application.clientID), "provider": .string(provider),
                    "redirect_uri": .string(lab.application.yahooRedirectURI), "parameters": parameters,
                ]), at: wire)
        guard let session = begun["session"], let url = begun["authorization_url"] else {
            throw Inconclusive("POST /v1/signin gave no session.")
        }
        return (session, try await standIns.decide(at: url))
    }

    func callback(_ session: String, _ url: String, provider: String) -> Request {
        exchange(
            ["type": "callback", "session": .string(session), "callback_url": .string(url)], provider: provider)
    }
}

/// Makes attacks of modules.
struct ConformanceModule: Sendable {
    let prefix: String

    /// The ID token of the code flow is wrong and has to be refused.
    func rejects(
        _ name: String, _ sentence: String, _ claims: JSON, _ reasons: Set<String>, reveals: Set<Mistake> = []
    ) -> Attack {
        attack(name, .critical, sentence, oracle: "Refused, and no further call is made.", reveals: reveals) {
            try await $0.rejects(claims: claims, reasons: reasons)
        }
    }

    func attack(
        _ name: String, _ severity: Severity, _ sentence: String, oracle: String, needs: Set<Need> = [.standIns],
        reveals: Set<Mistake> = [], strike: @escaping @Sendable (Strike) async throws -> Void
    ) -> Attack {
        Attack(
            prefix + name, .idToken, severity, sentence, oracle: oracle,
            source: prefix == "OIDC-"
                ? "OIDF conformance suite, oidcc-client-test" : "OIDF conformance suite, FAPI 2.0",
            needs: needs, reveals: reveals, strike: strike)
    }
}
