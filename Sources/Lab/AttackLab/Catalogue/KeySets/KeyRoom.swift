internal import Jansson

/// A server of the attack's own for key sets: the server under attack keeps its own as they are.
///
/// Each of its providers `p0.example`, `p1.example` … is Yahoo's stand-in, and fetches metadata and keys for itself, so
/// that each has minimum age and cool-down of its own.
struct KeyRoom: Sendable {
    let strike: Strike
    let wire: Wire

    static func provider(_ number: Int) -> String { "p\(number).example" }

    /// A right token of that provider, but for what `change` makes of it, and the request that posts it.
    ///
    /// - `key`: nil for the stand-in's own.
    func request(
        _ number: Int = 0, key: OwnKey? = nil, change: @Sendable (inout TokenDraft) throws -> Void = { _ in }
    ) async throws -> Request {
        let provider = Self.provider(number)
        let body: JSON = ["client_id": .string(strike.lab.application.clientID), "provider": .string(provider)]
        let begun = try await strike.honest(.json("/v1/nonce", body), at: wire)
        var draft = try await strike.draft(nonce: begun["nonce"])
        key?.sign(&draft)
        try change(&draft)
        let token = try await draft.token(by: strike.standIns)
        return strike.exchange(
            ["type": "id_token", "id_token": .string(token), "nonce": .string(begun["nonce_verifier"] ?? "")],
            provider: provider)
    }

    func fire(
        _ number: Int = 0, key: OwnKey? = nil, expecting expectation: Expectation,
        change: @Sendable (inout TokenDraft) throws -> Void = { _ in }
    ) async throws {
        await strike.fire(
            try await request(number, key: key, change: change), expecting: expectation, at: wire)
    }

    /// A token of that key has to be taken.
    func expectAccepted(_ number: Int = 0, key: OwnKey? = nil) async throws {
        await strike.expectAccepted(try await request(number, key: key), at: wire)
    }

    /// What the provider's key set is from now on.
    func serve(_ keys: [JSON]) async throws { try await strike.serve(keys) }

    /// What fetching the key set comes to from now on.
    func fault(_ order: [String: JSON], at endpoint: String = "yahoo.certs") async throws {
        try await strike.standIns.fault(.object(order.merging(["target": .string(endpoint)]) { $1 }))
    }
}

extension Strike {
    func serve(_ keys: [JSON]) async throws {
        try await standIns.fault(["target": "yahoo.certs", "body": .string(JSON.keySet(keys).text)])
    }

    /// - `keys`: the key set with which it starts; nil for the stand-in's own.
    /// - `discovers`: it finds its providers by discovery, at the first request.
    func withKeyRoom(
        providers count: Int = 1, keys: [JSON]? = nil, discovers: Bool = false,
        _ work: (KeyRoom) async throws -> Void
    ) async throws {
        var plan = ServerPlan("keys-\(attack.id)")
        plan.waitsUntilReady = !discovers
        for number in 0..<count {
            plan.set("providers/" + KeyRoom.provider(number), try await provider(discovers: discovers))
        }
        if let keys { try await serve(keys) }
        try await withServer(plan) { server in
            try await work(KeyRoom(strike: self, wire: server.wire))
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
    /// The provider's keys or metadata cannot be had, or nothing is known of the key: nothing is handed out.
    static let keysUnusable = Expectation.unusable(
        "provider_error", "provider_unreachable", "provider_timeout", "provider_response_invalid"
    ).or(.timeout).or(.refused("unknown_key"))
}
