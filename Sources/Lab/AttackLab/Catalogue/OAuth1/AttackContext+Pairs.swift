internal import Jansson

/// OAuth 1.0a token credentials that the stand-in issued.
struct IssuedPair: Sendable {
    var token: String
    var secret: String
    let userID: String

    /// Returns the credential of `POST /v1/exchange`.
    ///
    /// - `nonce`: The nonce verifier; `nil` omits it.
    func credential(nonce: String?) -> [String: JSON] {
        var members: [String: JSON] = [
            "type": "oauth1_token", "oauth_token": .string(token), "oauth_token_secret": .string(secret),
        ]
        members["nonce"] = nonce.map(JSON.string)
        return members
    }
}

extension AttackContext {
    /// Returns token credentials as if `user` had authorized `application`.
    func pair(user: String = "alice", application: String = "ours") async throws -> IssuedPair {
        let issued = try await standIns.issue([
            "provider": "twitter.com", "protocol": "oauth1", "user": .string(user),
            "application": .string(application),
        ])
        guard let token = issued["oauth_token"]?.string, let secret = issued["oauth_token_secret"]?.string,
            let userID = issued["user_id"]?.string
        else { throw Inconclusive("X's stand-in issued no token credentials.") }
        await self.secret(token)
        await self.secret(secret)
        return IssuedPair(token: token, secret: secret, userID: userID)
    }

    /// - `nonce`: The nonce verifier; `nil` omits it.
    func exchange(_ pair: IssuedPair, nonce: String?, further: [String: JSON] = [:]) -> Request {
        exchange(.object(pair.credential(nonce: nonce).merging(further) { $1 }), provider: "twitter.com")
    }

    /// Posts token credentials with a fresh nonce.
    func exchange(fresh pair: IssuedPair) async throws -> Request {
        exchange(pair, nonce: try await xNonce())
    }

    /// Returns a fresh nonce verifier for X.
    func xNonce() async throws -> String { try await nonce(provider: "twitter.com").verifier }

    /// Calls `POST /v1/signin` for OAuth 1.0a.
    func signin() -> Request { beginning(provider: "twitter.com", further: ["flow": "oauth1"]) }

    func oauth1Session() async throws -> SignInSession {
        try await session(provider: "twitter.com", further: ["flow": "oauth1"])
    }

    /// Starts a server that starts browser flows with X by OAuth 1.0a, on the store of the server under attack.
    func withOAuth1Server(_ work: (TestServer) async throws -> Void) async throws {
        var plan = ServerPlan("oauth1-\(attack.id)")
        plan.sharesStore = true
        plan.set("providers/twitter.com/flow", "oauth1")
        try await withServer(plan, work)
    }
}
