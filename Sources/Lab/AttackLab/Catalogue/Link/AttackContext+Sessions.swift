internal import Jansson
internal import OpenSSL

/// Flows with an `intent`, `link` or `reauthenticate`.
extension AttackContext {
    /// Calls `POST /v1/signin`, consents at the provider, and returns the credential that ends the flow.
    ///
    /// - `intent`: The intent and the caller's bearer token.
    func session(
        of user: String, provider: String = "yahoo.com", intent: String? = nil, bearer: String? = nil
    ) async throws -> JSON {
        let begun = try await session(
            provider: provider, further: intent.map { ["intent": .string($0)] } ?? [:], bearer: bearer)
        return begun.credential(try await callbackURL(of: begun, as: user))
    }

    /// Returns the provider's URL for that of `POST /v1/signin`, which with an intent is a page of the server.
    func door(of provider: String, at url: String, at wire: Wire? = nil) async throws -> String {
        let addresses = try standIns.addresses
        if [addresses.yahoo, addresses.x, addresses.providers].contains(where: { url.hasPrefix($0) }) { return url }
        return try await door(of: provider, behind: .get(Self.target(of: url)), in: Browser(), at: wire)
    }

    /// Calls `POST /par` with an intent, and follows the browser up to the redirect to the provider.
    func pushed(intent: String, bearer: String, provider: String = "yahoo.com") async throws -> Flow {
        let browser = Browser()
        let (clientID, redirectURI) = (lab.application.clientID, lab.application.redirectURI)
        let verifier = Base64.urlEncode(try SecureRandom.bytes(32))
        let state = Base64.urlEncode(try SecureRandom.bytes(12))
        let parameters = PercentEncoding.query(
            of: authorize(verifier: verifier, state: state, provider: provider).target)
        let form = parameters.map { ($0.name, $0.value) } + [("intent", intent)]
        let pushed = try await honest(.form("/par", form, bearer: bearer), status: 201)
        guard let requestURI = pushed["request_uri"] else { throw Inconclusive("POST /par returned no request_uri.") }
        let location = try await door(of: provider, behind: pulled(requestURI), in: browser)
        await secret(verifier)
        return Flow(
            browser: browser, codeVerifier: verifier, state: state, redirectURI: redirectURI, clientID: clientID,
            authorizationURL: location)
    }

    /// Returns the handoff code of a pushed flow that links.
    func handoff(
        of user: String, bearer: String, provider: String = "yahoo.com"
    ) async throws -> (code: String, flow: Flow) {
        let flow = try await pushed(intent: "link", bearer: bearer, provider: provider)
        let answer = try await honest(
            await callback(try await approve(flow, as: user), in: flow.browser), status: 303)
        guard let code = answer.redirected("code") else { throw Inconclusive("The flow returned no handoff code.") }
        await secret(code)
        return (code, flow)
    }
}

extension AttackContext {
    /// Starts a server with another configuration; the test bed stops it at the end.
    func withServer(
        _ name: String, _ change: (inout ServerPlan) -> Void = { _ in },
        _ body: (TestServer, TestBed) async throws -> Void
    ) async throws {
        let bed = try testBed
        var plan = ServerPlan(name)
        change(&plan)
        try await withServer(plan) { try await body($0, bed) }
    }
}
