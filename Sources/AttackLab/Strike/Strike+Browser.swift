internal import OpenSSL

/// The steps of the browser flow.
extension Strike {
    /// `GET /authorize` with good parameters, changed by `change`.
    func authorize(
        verifier: String, state: String, clientID: String? = nil, redirectURI: String? = nil,
        provider: String? = nil, _ change: (inout [(String, String)]) -> Void = { _ in }
    ) -> Request {
        let application = lab.application
        var parameters = [
            ("response_type", "code"), ("client_id", clientID ?? application.clientID),
            ("redirect_uri", redirectURI ?? application.redirectURI), ("state", state),
            ("code_challenge", Self.challenge(verifier)), ("code_challenge_method", "S256"),
            ("provider", provider ?? application.provider),
        ]
        change(&parameters)
        return .get("/authorize?" + PercentEncoding.form(parameters))
    }

    /// A flow up to the provider's door.
    func begin(
        in browser: Browser = Browser(), clientID: String? = nil, redirectURI: String? = nil,
        provider: String? = nil, at wire: Wire? = nil
    ) async throws -> Flow {
        let verifier = Base64.urlEncode(try SecureRandom.bytes(32))
        let state = Base64.urlEncode(try SecureRandom.bytes(12))
        var request = authorize(
            verifier: verifier, state: state, clientID: clientID, redirectURI: redirectURI, provider: provider)
        if let cookie = await browser.cookie() { request = request.with("Cookie", cookie) }
        var answer = try await honest(request, status: 303, or: 200, at: wire)
        await browser.take(answer)
        // A redirect URI that others on the device may hold is confirmed on a page first (RFC 8252 §8.6).
        if answer.status == 200 {
            guard let form = answer.input("flow") else { throw Inconclusive("The page has no form.") }
            let press = [("flow", form), ("provider", provider ?? lab.application.provider)]
            request = .form("/authorize", press)
            if let cookie = await browser.cookie() { request = request.with("Cookie", cookie) }
            answer = try await honest(request, status: 303, at: wire)
            await browser.take(answer)
        }
        guard let location = answer.field("location") else { throw Inconclusive("No redirect to the provider.") }
        await secret(verifier)
        return Flow(
            browser: browser, codeVerifier: verifier, state: state,
            redirectURI: redirectURI ?? lab.application.redirectURI, clientID: clientID ?? lab.application.clientID,
            authorizationURL: location)
    }

    /// The person allows it at the stand-in; the callback's URL, path and query alone.
    func approve(_ flow: Flow, as user: String = "alice") async throws -> String {
        Self.target(of: try await standIns.decide(at: flow.authorizationURL, as: user))
    }

    /// `GET` on a callback's path and query, with the browser's cookies or without.
    func callback(_ target: String, in browser: Browser?) async -> Request {
        let request = Request.get(target)
        guard let cookie = await browser?.cookie() else { return request }
        return request.with("Cookie", cookie)
    }

    /// A flow through the provider and back; the handoff code.
    func handoff(
        clientID: String? = nil, redirectURI: String? = nil, user: String = "alice", provider: String? = nil,
        at wire: Wire? = nil
    ) async throws -> (code: String, flow: Flow) {
        let flow = try await begin(clientID: clientID, redirectURI: redirectURI, provider: provider, at: wire)
        let answer = try await honest(
            await callback(try await approve(flow, as: user), in: flow.browser), status: 303, at: wire)
        guard let code = answer.redirected("code") else { throw Inconclusive("The flow gave no handoff code.") }
        await secret(code)
        return (code, flow)
    }

    /// `POST /token` with a handoff code, changed by `change`.
    func redeem(
        _ code: String, _ flow: Flow, _ change: (inout [(String, String)]) -> Void = { _ in }
    ) -> Request {
        var parameters = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", flow.redirectURI),
            ("client_id", flow.clientID), ("code_verifier", flow.codeVerifier),
        ]
        change(&parameters)
        return .form("/token", parameters)
    }

    /// RFC 7636 §4.2, S256.
    static func challenge(_ verifier: String) -> String { Base64.urlEncode(SHA256.hash(Array(verifier.utf8))) }

    /// Path and query of a URL.
    static func target(of url: String) -> String {
        guard let slash = url.dropFirst(8).firstIndex(of: "/") else { return "/" }
        return String(url[slash...].prefix { $0 != "#" })
    }
}
