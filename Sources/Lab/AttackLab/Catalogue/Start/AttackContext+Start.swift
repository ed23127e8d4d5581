internal import Jansson

/// A sign-in whose redirect the application receives itself, as the response of `POST /v1/signin` begins it.
struct SignInSession: Sendable {
    var session: String
    let authorizationURL: String
    let provider: String
    let redirectURI: String

    /// The provider's `state`, as the browser sees it.
    var state: String? {
        PercentEncoding.parameter("state", of: authorizationURL)
    }

    /// The request token of OAuth 1.0a in the authorization request.
    var requestToken: String { PercentEncoding.parameter("oauth_token", of: authorizationURL) ?? "" }

    /// Returns the credential that ends the sign-in.
    func credential(_ callbackURL: String) -> JSON {
        ["type": "callback", "session": .string(session), "callback_url": .string(callbackURL)]
    }
}

extension AttackContext {
    /// Returns a valid body of `POST /v1/signin` with the members in `further`.
    func beginning(
        provider: String = "yahoo.com", redirectURI: String? = nil, further: [String: JSON] = [:],
        bearer: String? = nil
    ) -> Request {
        let usual = lab.application.providerRedirectURI(at: provider)
        let members: [String: JSON] = [
            "client_id": .string(lab.application.clientID), "provider": .string(provider),
            "redirect_uri": .string(redirectURI ?? usual),
        ]
        return .json("/v1/signin", .object(members.merging(further) { $1 }), bearer: bearer)
    }

    func session(
        provider: String = "yahoo.com", redirectURI: String? = nil, further: [String: JSON] = [:],
        bearer: String? = nil, at wire: Wire? = nil
    ) async throws -> SignInSession {
        let redirectURI = redirectURI ?? lab.application.providerRedirectURI(at: provider)
        let answer = try await honest(
            beginning(provider: provider, redirectURI: redirectURI, further: further, bearer: bearer), at: wire)
        guard let session = answer["session"], let url = answer["authorization_url"] else {
            throw Inconclusive("POST /v1/signin returned no session.")
        }
        return SignInSession(session: session, authorizationURL: url, provider: provider, redirectURI: redirectURI)
    }

    /// Consents as the user, and returns the complete URL that the application receives.
    func callbackURL(
        of begun: SignInSession, as user: String = "alice", allow: Bool = true, at wire: Wire? = nil
    ) async throws -> String {
        let door = try await door(of: begun.provider, at: begun.authorizationURL, at: wire)
        let url = try await standIns.decide(at: door, as: user, allow: allow)
        await secret(url)
        return url
    }

    /// `POST /v1/exchange` with session and callback URL, for the provider of the session or another one.
    func ending(
        _ begun: SignInSession, _ callbackURL: String, provider: String? = nil, clientID: String? = nil
    ) -> Request {
        exchange(begun.credential(callbackURL), provider: provider ?? begun.provider, clientID: clientID)
    }
}

extension AttackContext {
    /// Expects a redirect to the application with an error and its own state, and without a code.
    ///
    /// - `errors`: The permitted errors; empty for any.
    @discardableResult func fire(
        _ request: Request, tellingApplication errors: Set<String>, state: String, redirectURI: String? = nil
    ) async -> Reply {
        let reply = await fire(request, expecting: .status(303))
        guard let answer = reply.answer, answer.status == 303 else { return reply }
        let registered = redirectURI ?? lab.application.redirectURI
        await expect(
            answer.field("location")?.hasPrefix(registered + "?") == true, .wrongAnswer,
            "The redirect is not to the application.")
        await expect(
            answer.redirected("state") == state, .wrongAnswer, "The application's state is missing or wrong.")
        let error = answer.redirected("error")
        await expect(
            error.map { errors.isEmpty || errors.contains($0) } ?? false, .wrongAnswer,
            "Expected an error redirect with \(errors.sorted().joined(separator: " or ")), and got \(error ?? "none").")
        return reply
    }

    /// Sends `GET /authorize` with one parameter replaced, added or removed, and expects an error redirect.
    func fire(changed name: String, to value: String?, telling errors: Set<String>) async {
        let request = authorize(verifier: Self.plainVerifier, state: "state-of-mine") { $0.set(name, value) }
        await fire(request, tellingApplication: errors, state: "state-of-mine")
    }
}

extension AttackContext {
    /// Starts a server with a separate store and the public URL of the usual one.
    ///
    /// Only that URL's callback is registered at the providers.
    func lonePlan() -> ServerPlan {
        var plan = ServerPlan("alone-\(attack.id)")
        plan.set("server/public_url", .string(lab.server.base))
        return plan
    }

    /// Restarts a server with another clock, together with the providers.
    func move(_ server: TestServer, by seconds: Int64) async throws {
        let bed = try testBed
        try await bed.stopWatched(server)
        try await standIns.setClock(offset: seconds)
        try await bed.restart(server, clockOffset: seconds)
    }
}
