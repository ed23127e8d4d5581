internal import OpenSSL

/// The steps of the browser flow.
extension AttackContext {
    /// Returns `GET /authorize` with valid parameters, which `change` can alter.
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

    /// Begins a flow, up to the redirect to the provider.
    func begin(
        in browser: Browser = Browser(), clientID: String? = nil, redirectURI: String? = nil,
        provider: String? = nil, at wire: Wire? = nil
    ) async throws -> Flow {
        let verifier = Base64.urlEncode(try SecureRandom.bytes(32))
        let state = Base64.urlEncode(try SecureRandom.bytes(12))
        let request = await browser.sending(
            authorize(
                verifier: verifier, state: state, clientID: clientID, redirectURI: redirectURI, provider: provider))
        let location = try await door(
            of: provider ?? lab.application.provider, behind: request, in: browser, at: wire)
        await secret(verifier)
        return Flow(
            browser: browser, codeVerifier: verifier, state: state,
            redirectURI: redirectURI ?? lab.application.redirectURI, clientID: clientID ?? lab.application.clientID,
            authorizationURL: location)
    }

    /// Returns the URL of the provider to which the first request of a flow redirects.
    ///
    /// If the server shows a page first (RFC 8252 §8.6), its button is pressed.
    func door(
        of provider: String, behind request: Request, in browser: Browser, at wire: Wire? = nil
    ) async throws -> String {
        var answer = try await honest(request, status: 303, or: 200, at: wire)
        await browser.take(answer)
        if answer.status == 200 {
            answer = try await honest(
                try await submitting(answer, [("provider", provider)], in: browser), status: 303, at: wire)
            await browser.take(answer)
        }
        guard let location = answer.field("location") else { throw Inconclusive("No redirect to the provider.") }
        return location
    }

    /// Returns the request that the form of a page sends with these fields.
    func submitting(_ page: Answer, _ fields: [(String, String)], in browser: Browser) async throws -> Request {
        guard let handle = page.input("flow") else { throw Inconclusive("The page has no form.") }
        return await browser.sending(.form("/authorize", [("flow", handle)] + fields))
    }

    /// Allows the sign-in at the stand-in, and returns path and query of the callback.
    func approve(_ flow: Flow, as user: String = "alice") async throws -> String {
        Self.target(of: try await standIns.decide(at: flow.authorizationURL, as: user))
    }

    /// Passes a flow and its callback to `attack`, and expects afterwards that the provider got no request for tokens,
    /// and that the flow can be finished.
    func withUnspentFlow(_ attack: (_ flow: Flow, _ target: String) async throws -> Void) async throws {
        let flow = try await begin()
        let target = try await approve(flow)
        let mark = try await mark()
        try await attack(flow, target)
        try await expectCalls(["yahoo.token": 0, "yahoo.userinfo": 0, "x.oauth2_token": 0], since: mark)
        try await mustStillWork(await callback(target, in: flow.browser), status: 303)
    }

    /// Returns the request of a callback, with the cookies of a browser or without.
    func callback(_ target: String, in browser: Browser?) async -> Request {
        await browser?.sending(.get(target)) ?? .get(target)
    }

    /// Completes a flow at the provider, and returns the handoff code.
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

    /// Returns `POST /token` with a handoff code, which `change` can alter.
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

    /// Returns the code challenge of the method S256 (RFC 7636 §4.2).
    static func challenge(_ verifier: String) -> String { Base64.urlEncode(SHA256.hash(Array(verifier.utf8))) }

    /// Returns path and query of a URL.
    static func target(of url: String) -> String {
        guard let slash = url.dropFirst(8).firstIndex(of: "/") else { return "/" }
        return String(url[slash...].prefix { $0 != "#" })
    }
}

/// A browser, which keeps the cookies that the server sets.
final class Browser: Sendable {
    private let jar = Jar()

    /// Returns the value of the field `Cookie`; `nil` without cookies.
    func cookie() async -> String? { await jar.header }

    /// Returns the request with the cookies of the browser.
    func sending(_ request: Request) async -> Request {
        guard let cookie = await cookie() else { return request }
        return request.with("Cookie", cookie)
    }

    func take(_ answer: Answer) async { await jar.take(answer.allFields("set-cookie")) }

    private actor Jar {
        private var cookies: [(name: String, value: String)] = []

        var header: String? {
            cookies.isEmpty ? nil : cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
        }

        func take(_ fields: [String]) {
            for field in fields {
                let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
                guard pair.count >= 1 else { continue }
                let name = String(pair[0])
                cookies.removeAll { $0.name == name }
                let value = pair.count == 2 ? String(pair[1]) : ""
                // RFC 6265 §4.1.2.2: a maximum age of zero removes the cookie.
                if !field.lowercased().contains("max-age=0"), !value.isEmpty { cookies.append((name, value)) }
            }
        }
    }
}

/// A browser flow in progress.
struct Flow: Sendable {
    let browser: Browser
    let codeVerifier: String
    /// The state of the application.
    let state: String
    let redirectURI: String
    let clientID: String
    /// The URL at the provider, with the state of the server.
    let authorizationURL: String

    var providerState: String? {
        PercentEncoding.parameter("state", of: authorizationURL)
    }
}
