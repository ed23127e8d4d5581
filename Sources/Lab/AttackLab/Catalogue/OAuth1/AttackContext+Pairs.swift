internal import Jansson
internal import OpenSSL

/// OAuth 1.0a token credentials that the stand-in issued.
struct IssuedPair: Sendable {
    var token: String
    var secret: String
    let userID: String
}

/// A flow of `POST /v1/signin`, up to the authorization request.
struct BegunSession: Sendable {
    let session: String
    let authorizationURL: String
    let provider: String

    /// The request token in the authorization request.
    var requestToken: String { PercentEncoding.parameter("oauth_token", of: authorizationURL) ?? "" }
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
        var credential: [String: JSON] = [
            "type": "oauth1_token", "oauth_token": .string(pair.token), "oauth_token_secret": .string(pair.secret),
        ]
        if let nonce { credential["nonce"] = .string(nonce) }
        return exchange(.object(credential.merging(further) { $1 }), provider: "twitter.com")
    }

    /// Posts token credentials with a fresh nonce.
    func exchange(fresh pair: IssuedPair) async throws -> Request {
        exchange(pair, nonce: try await xNonce())
    }

    /// Returns a fresh nonce verifier for X.
    func xNonce() async throws -> String { try await nonce(provider: "twitter.com").verifier }

    /// Calls `POST /v1/signin` with valid members.
    func signin(provider: String = "twitter.com", flow: String? = "oauth1") -> Request {
        let application = lab.application
        var body: [String: JSON] = [
            "client_id": .string(application.clientID), "provider": .string(provider),
            "redirect_uri": .string(application.providerRedirectURI(at: provider)),
        ]
        if let flow { body["flow"] = .string(flow) }
        return .json("/v1/signin", .object(body))
    }

    func beginSession() async throws -> BegunSession {
        let answer = try await honest(signin())
        guard let session = answer["session"], let url = answer["authorization_url"] else {
            throw Inconclusive("POST /v1/signin returned no session.")
        }
        return BegunSession(session: session, authorizationURL: url, provider: "twitter.com")
    }

    /// Consents as the user, and returns the redirect that the application receives.
    func caught(_ session: BegunSession, as user: String = "alice", allow: Bool = true) async throws -> String {
        try await standIns.decide(at: session.authorizationURL, as: user, allow: allow)
    }

    func finish(_ session: BegunSession, _ callbackURL: String) -> Request {
        exchange(
            ["type": "callback", "session": .string(session.session), "callback_url": .string(callbackURL)],
            provider: session.provider)
    }

    /// Starts a server that starts browser flows with X by OAuth 1.0a, on the store of the server under attack.
    func withOAuth1Server(_ work: (TestServer) async throws -> Void) async throws {
        var plan = ServerPlan("oauth1-\(attack.id)")
        plan.sharesStore = true
        plan.set("providers/twitter.com/flow", "oauth1")
        try await withServer(plan, work)
    }

    /// Returns a redirect with its parameter `name` replaced, or removed if the value is `nil`.
    static func setting(_ name: String, to value: String?, in url: String) -> String {
        let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        var parameters = PercentEncoding.parameters(parts.count == 2 ? parts[1] : "").map { ($0.name, $0.value) }
        parameters.removeAll { $0.0 == name }
        if let value { parameters.append((name, value)) }
        return parts[0] + "?" + PercentEncoding.form(parameters)
    }
}
