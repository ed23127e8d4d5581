internal import Jansson

/// A separate server for attacks on key sets, so that the key sets of the server under attack do not change.
///
/// Each of its providers `p0.example`, `p1.example` … uses Yahoo's stand-in, and fetches its own metadata and keys, so
/// that each has its own minimum age and cool-down.
struct KeyRoom: Sendable {
    let context: AttackContext
    let wire: Wire

    static func provider(_ number: Int) -> String { "p\(number).example" }

    /// Returns a token of the provider, valid except for `change`, and the request that posts it.
    ///
    /// - `key`: The signing key; `nil` for the stand-in's own.
    func request(
        _ number: Int = 0, key: OwnKey? = nil, change: @Sendable (inout TokenDraft) throws -> Void = { _ in }
    ) async throws -> Request {
        let provider = Self.provider(number)
        let (nonce, verifier) = try await context.nonce(provider: provider, at: wire)
        var draft = try await context.draft(nonce: nonce)
        key?.sign(&draft)
        try change(&draft)
        let token = try await draft.token(by: context.standIns)
        return context.exchange(
            .idToken(token, nonce: verifier),
            provider: provider)
    }

    func fire(
        _ number: Int = 0, key: OwnKey? = nil, expecting expectation: Expectation,
        change: @Sendable (inout TokenDraft) throws -> Void = { _ in }
    ) async throws {
        await context.fire(
            try await request(number, key: key, change: change), expecting: expectation, at: wire)
    }

    /// Posts a token signed with the key, which the server must accept.
    func expectAccepted(_ number: Int = 0, key: OwnKey? = nil) async throws {
        await context.expectAccepted(try await request(number, key: key), at: wire)
    }

    /// Sets the provider's key set.
    func serve(_ keys: [JSON]) async throws { try await context.serve(keys) }

    /// Sets the response to requests for the key set.
    func fault(_ order: [String: JSON], at endpoint: String = "yahoo.certs") async throws {
        try await context.standIns.fault(.object(order.merging(["target": .string(endpoint)]) { $1 }))
    }
}

extension AttackContext {
    func serve(_ keys: [JSON]) async throws {
        try await standIns.fault(["target": "yahoo.certs", "body": .string(JSON.keySet(keys).text)])
    }

    /// - `keys`: The initial key set; `nil` for the stand-in's own.
    /// - `discovers`: Whether the server discovers its providers at the first request.
    /// - `settings`: Further keys of each provider's configuration.
    func withKeyRoom(
        providers count: Int = 1, keys: [JSON]? = nil, discovers: Bool = false, settings: [String: JSON] = [:],
        _ work: (KeyRoom) async throws -> Void
    ) async throws {
        var plan = ServerPlan("keys-\(attack.id)")
        plan.waitsUntilReady = !discovers
        // All of them are one provider, with one redirect URI.
        plan.set(
            "clients/\(lab.application.clientID)/provider_redirect_uris",
            .array(
                ["yahoo.com", "twitter.com", "op.example"].map { .string(lab.application.providerRedirectURI(at: $0)) })
        )
        for number in 0..<count {
            let path = "providers/" + KeyRoom.provider(number)
            plan.set(path, try await provider(discovers: discovers))
            for (name, value) in settings { plan.set(path + "/" + name, value) }
        }
        if let keys { try await serve(keys) }
        try await withServer(plan) { server in
            try await work(KeyRoom(context: self, wire: server.wire))
        }
    }

    private func provider(discovers: Bool) async throws -> JSON {
        let standIns = try standIns
        let yahoo = standIns.addresses.yahoo
        var members: [String: JSON] = [
            "client_id": .string(try await audience), "client_secret": "sandbox-yahoo-secret-of-ours", "pkce": "off",
            "timeout": "3s",
        ]
        if discovers {
            members["issuer"] = .string(yahoo)
        } else {
            members["endpoints"] = [
                "issuer": .string(yahoo), "authorization": .string(yahoo + "/oauth2/request_auth"),
                "token": .string(yahoo + "/oauth2/get_token"), "userinfo": .string(yahoo + "/openid/v1/userinfo"),
                "jwks": .string(yahoo + "/openid/v1/certs"),
            ]
        }
        return .object(members)
    }
}

extension Expectation {
    /// Expects a refusal because keys or metadata are unavailable, or because the key is unknown.
    static let keysUnusable = Expectation.unusable(
        "provider_error", "provider_unreachable", "provider_timeout", "provider_response_invalid"
    ).or(.timeout).or(.refused("unknown_key"))
}
