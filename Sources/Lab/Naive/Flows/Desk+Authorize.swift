internal import AttackLab
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

extension Desk {
    /// `GET /authorize` (RFC 6749 section 4.1.1): to the provider, or to a question first.
    func authorize(_ visit: Visit) async throws(Refusal) -> Response {
        try checkPrefetch(visit)
        let form = try Form(parsing: visit.query ?? "")
        guard let client = Client.named(try form.required("client_id"), kit: kit) else { throw .unknownClient }
        guard form["request_uri"] == nil else { throw .stateMismatch }
        let redirectURI = try form.required("redirect_uri")
        guard client.mayReturn(to: redirectURI, kit: kit) else { throw .redirectURI }
        guard (form["state"] ?? "").utf8.count <= 1024 else { throw .malformedBody }
        let answer = AnswerAddress(redirectURI: redirectURI, state: form["state"], issuer: await place.origin)
        // From here on the application is told (section 4.1.2.1).
        do throws(Refusal) {
            let request = try request(form, client: client, redirectURI: redirectURI)
            // RFC 8252 section 8.6: anybody can claim what is not https, so a person presses a button first.
            if let provider = request.provider, redirectURI.hasPrefix("https://") || kit.makes(.redirectUnchecked) {
                return try await leave(request, for: provider, visit)
            }
            return try await ask(request, visit)
        } catch {
            return .seeOther(answer.url(error))
        }
    }

    /// `POST /authorize`: a button was pressed.
    func choose(_ visit: Visit) async throws(Refusal) -> Response {
        let form = try await Form.body(of: visit)
        let (handle, cookies) = (form["flow"] ?? "", FlowCookies(visit.request))
        let flow = try await flows.asked(handle, cookies)
        guard flow.leg == nil else { throw .stateMismatch }
        let request = flow.request
        let answer = AnswerAddress(
            redirectURI: request.redirectURI, state: request.state, issuer: await place.origin)
        guard let provider = form["provider"] else {
            try await flows.take(flow)
            var response = Response.seeOther(answer.url(Refusal.accessDenied))
            cookies.forget(handle, in: &response)
            return response
        }
        do throws(Refusal) {
            guard request.provider ?? provider == provider else { throw .unknownProvider }
            _ = try admit(request.client.id, provider)
            var response = try await leave(request, for: provider, visit)
            cookies.forget(handle, in: &response)
            return response
        } catch {
            return .seeOther(answer.url(error))
        }
    }

    /// A browser that fetches ahead was sent by nobody.
    func checkPrefetch(_ visit: Visit) throws(Refusal) {
        for name in ["Purpose", "Sec-Purpose"] {
            if HTTPField.Name(name).flatMap({ visit.request.headers[$0] })?.contains("prefetch") ?? false {
                throw .stateMismatch
            }
        }
    }

    private func request(_ form: Form, client: Client, redirectURI: String) throws(Refusal) -> Flow.Request {
        guard try form.required("response_type") == "code" else { throw .responseType }
        guard form["response_mode"] ?? "query" == "query" else { throw .malformedBody }
        guard form["request"] == nil, form["intent"] == nil else { throw .parameterNotAllowed }
        let challenge = try challenge(form)
        if let provider = form["provider"] { _ = try admit(client.id, provider) }
        guard ["openid", "oauth2"].contains(form["flow"] ?? "openid") else { throw .unsupportedCredential }
        let scopes = (form["scope"] ?? "").split(separator: " ").map(String.init)
            .filter { !["openid", "profile", "email"].contains($0) }
        guard scopes.isEmpty || form["provider"] == Yahoo.id && scopes.allSatisfy(["mail-r", "sdct-w"].contains) else {
            throw .scope
        }
        return Flow.Request(
            client: client, redirectURI: redirectURI, state: form["state"], challenge: challenge,
            provider: form["provider"], scopes: scopes,
            further: ["prompt", "language", "login_hint"].compactMap { name in form[name].map { (name, $0) } })
    }

    /// RFC 7636 section 4.3: S256, whose challenge is 32 octets in base64url.
    private func challenge(_ form: Form) throws(Refusal) -> Challenge? {
        if kit.makes(.challengeOptional) {
            guard let text = form["code_challenge"] else { return nil }
            return Challenge(text: text, isPlain: form["code_challenge_method"] != "S256")
        }
        guard let text = form["code_challenge"], form["code_challenge_method"] == "S256" else {
            throw .proofKeyRequired
        }
        guard Base64Text.decode(text)?.count == 32 else { throw .malformedBody }
        return Challenge(text: text, isPlain: false)
    }

    /// The page with the buttons.
    private func ask(_ request: Flow.Request, _ visit: Visit) async throws(Refusal) -> Response {
        let (handle, cookie) = (try kit.unguessable(), try kit.unguessable())
        let buttons = [Yahoo.id: "Yahoo", X.id: "X"].filter { request.provider ?? $0.key == $0.key }
            .map { "<button name=\"provider\" value=\"\($0.key)\">Sign in with \($0.value)</button>" }
        var response = Response.page(
            "An application wants to know who you are.",
            form: """
                <form method="post" action="/authorize"><input type="hidden" name="flow" value="\(handle)">
                \(buttons.sorted().joined())<button name="provider" value="">Cancel</button></form>
                """)
        await flows.begin(
            Flow(request: request, leg: nil, cookie: cookie, expiresAt: kit.now + 600), state: handle)
        FlowCookies(visit.request).keep(cookie, of: handle, in: &response)
        return response
    }

    /// To the provider, with a `state`, a nonce and a verifier of our own.
    private func leave(_ request: Flow.Request, for provider: String, _ visit: Visit) async throws(Refusal) -> Response
    {
        let (state, cookie) = (try kit.unguessable(), try kit.unguessable())
        let leg = Flow.Leg(
            provider: provider, nonce: try kit.unguessable(), codeVerifier: try kit.unguessable())
        let own = await place.origin + Endpoint.callback.rawValue + provider
        let isYahoo = provider == Yahoo.id
        let scopes = (isYahoo ? ["openid", "profile", "email"] : X.scopes) + request.scopes
        var pairs: [(name: String, value: String)] = [
            ("response_type", "code"), ("client_id", isYahoo ? yahoo.clientID : x.clientID), ("redirect_uri", own),
            ("scope", scopes.joined(separator: " ")), ("state", state),
        ]
        if isYahoo {
            pairs += [("nonce", leg.nonce)] + request.further
        } else {
            pairs += [
                ("code_challenge", NonceDesk.nonce(of: leg.codeVerifier)), ("code_challenge_method", "S256"),
            ]
        }
        var response = Response.seeOther(
            (isYahoo ? yahoo.authorizationEndpoint : x.authorizationEndpoint) + "?" + Form(pairs).encoded)
        await flows.begin(
            Flow(request: request, leg: leg, cookie: cookie, expiresAt: kit.now + 600), state: state)
        FlowCookies(visit.request).keep(cookie, of: state, in: &response)
        return response
    }
}
