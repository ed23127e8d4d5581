internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

extension Handlers {
    /// `GET /authorize` (RFC 6749 section 4.1.1): redirects to the provider, or shows a confirmation page first.
    func authorize(_ incoming: IncomingRequest) async throws(Refusal) -> Response {
        try checkPrefetch(incoming)
        let form = try Form(parsing: incoming.query ?? "")
        guard let client = Client.named(try form.required("client_id"), environment: environment) else {
            throw .unknownClient
        }
        guard form["request_uri"] == nil else { throw .stateMismatch }
        let redirectURI = try form.required("redirect_uri")
        guard client.mayReturn(to: redirectURI, environment: environment) else { throw .redirectURI }
        guard (form["state"] ?? "").utf8.count <= 1024 else { throw .malformedBody }
        let answer = AuthorizationResponse(
            redirectURI: redirectURI, state: form["state"], issuer: await publicOrigin.origin)
        // From here on errors are sent to the application by redirect (section 4.1.2.1).
        do throws(Refusal) {
            let request = try request(form, client: client, redirectURI: redirectURI)
            if !environment.makes(.promptIgnored) { try checkPrompt(form, redirectURI: redirectURI) }
            // RFC 8252 section 8.6: any application may claim a URI that is not https, so the user must press a button
            // first.
            if let provider = request.provider,
                redirectURI.hasPrefix("https://") || environment.makes(.redirectUnchecked)
            {
                return try await leave(request, for: provider, incoming)
            }
            return try await ask(request, incoming)
        } catch {
            return .seeOther(answer.url(error))
        }
    }

    /// `POST /authorize`: the user has pressed a button.
    func choose(_ incoming: IncomingRequest) async throws(Refusal) -> Response {
        let form = try await Form.body(of: incoming)
        let (handle, cookies) = (form["flow"] ?? "", FlowCookies(incoming.request))
        let flow = try await flows.asked(handle, cookies)
        guard flow.providerRequest == nil else { throw .stateMismatch }
        let request = flow.request
        let answer = AuthorizationResponse(
            redirectURI: request.redirectURI, state: request.state, issuer: await publicOrigin.origin)
        guard let provider = form["provider"] else {
            try await flows.take(flow)
            var response = Response.seeOther(answer.url(Refusal.accessDenied))
            cookies.forget(handle, in: &response)
            return response
        }
        do throws(Refusal) {
            guard request.provider ?? provider == provider else { throw .unknownProvider }
            _ = try admit(request.client.id, provider)
            var response = try await leave(request, for: provider, incoming)
            cookies.forget(handle, in: &response)
            return response
        } catch {
            return .seeOther(answer.url(error))
        }
    }

    /// Refuses requests of browsers that prefetch a page, since no user made them.
    func checkPrefetch(_ incoming: IncomingRequest) throws(Refusal) {
        for name in ["Purpose", "Sec-Purpose"] {
            if HTTPField.Name(name).flatMap({ incoming.request.headers[$0] })?.contains("prefetch") ?? false {
                throw .stateMismatch
            }
        }
    }

    private func request(_ form: Form, client: Client, redirectURI: String) throws(Refusal) -> NaiveFlow.Request {
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
        return NaiveFlow.Request(
            client: client, redirectURI: redirectURI, state: form["state"], challenge: challenge,
            provider: form["provider"], scopes: scopes,
            further: ["prompt", "language", "login_hint"].compactMap { name in form[name].map { (name, $0) } })
    }

    /// Refuses `prompt=none`, because each flow shows a page of this server or of the provider.
    private func checkPrompt(_ form: Form, redirectURI: String) throws(Refusal) {
        guard let prompt = form["prompt"], prompt.split(separator: " ").contains("none") else { return }
        guard prompt == "none" else { throw .malformedBody }
        guard form["provider"] != nil else { throw .interaction("account_selection_required") }
        throw .interaction(redirectURI.hasPrefix("https://") ? "login_required" : "interaction_required")
    }

    /// The PKCE challenge (RFC 7636 section 4.3).
    ///
    /// It must be S256: 32 bytes in base64url.
    private func challenge(_ form: Form) throws(Refusal) -> Challenge? {
        if environment.makes(.challengeOptional) {
            guard let text = form["code_challenge"] else { return nil }
            return Challenge(text: text, isPlain: form["code_challenge_method"] != "S256")
        }
        guard let text = form["code_challenge"], form["code_challenge_method"] == "S256" else {
            throw .proofKeyRequired
        }
        guard Base64Text.decode(text)?.count == 32 else { throw .malformedBody }
        return Challenge(text: text, isPlain: false)
    }

    /// Shows the page with a button for each provider.
    private func ask(_ request: NaiveFlow.Request, _ incoming: IncomingRequest) async throws(Refusal) -> Response {
        let (handle, cookie) = (try environment.unguessable(), try environment.unguessable())
        let buttons = [Yahoo.id: "Yahoo", X.id: "X"].filter { request.provider ?? $0.key == $0.key }
            .map { "<button name=\"provider\" value=\"\($0.key)\">Sign in with \($0.value)</button>" }
        var response = Response.page(
            "An application wants to sign you in.",
            form: """
                <form method="post" action="/authorize"><input type="hidden" name="flow" value="\(handle)">
                \(buttons.sorted().joined())<button name="provider" value="">Cancel</button></form>
                """)
        await flows.begin(
            NaiveFlow(request: request, providerRequest: nil, cookie: cookie, expiresAt: environment.now + 600),
            state: handle)
        FlowCookies(incoming.request).keep(cookie, of: handle, in: &response)
        return response
    }

    /// Redirects to the provider, with our own `state`, nonce and code verifier.
    private func leave(_ request: NaiveFlow.Request, for provider: String, _ incoming: IncomingRequest)
        async throws(Refusal)
        -> Response
    {
        let (state, cookie) = (try environment.unguessable(), try environment.unguessable())
        let providerRequest = NaiveFlow.ProviderRequest(
            provider: provider, nonce: try environment.unguessable(), codeVerifier: try environment.unguessable())
        let own = await publicOrigin.origin + Endpoint.callback.rawValue + provider
        let isYahoo = provider == Yahoo.id
        let scopes = (isYahoo ? ["openid", "profile", "email"] : X.scopes) + request.scopes
        var pairs: [(name: String, value: String)] = [
            ("response_type", "code"), ("client_id", isYahoo ? yahoo.clientID : x.clientID), ("redirect_uri", own),
            ("scope", scopes.joined(separator: " ")), ("state", state),
        ]
        if isYahoo {
            pairs += [("nonce", providerRequest.nonce)] + request.further
        } else {
            pairs += [
                ("code_challenge", NonceIssuer.nonce(of: providerRequest.codeVerifier)),
                ("code_challenge_method", "S256"),
            ]
        }
        var response = Response.seeOther(
            (isYahoo ? yahoo.authorizationEndpoint : x.authorizationEndpoint) + "?" + Form(pairs).encoded)
        await flows.begin(
            NaiveFlow(
                request: request, providerRequest: providerRequest, cookie: cookie, expiresAt: environment.now + 600),
            state: state)
        FlowCookies(incoming.request).keep(cookie, of: state, in: &response)
        return response
    }
}

/// The redirect to the application with the response (RFC 6749 section 4.1.2, RFC 9207 section 2).
struct AuthorizationResponse: Sendable {
    let redirectURI: String
    let state: String?
    let issuer: String

    func url(_ answer: [(name: String, value: String)]) -> String {
        var pairs = answer
        if let state { pairs.append(("state", state)) }
        pairs.append(("iss", issuer))
        return redirectURI + (redirectURI.contains("?") ? "&" : "?") + Form(pairs).encoded
    }

    /// The redirect for a refusal.
    ///
    /// Only some error codes are registered for a redirect (section 4.1.2.1).
    func url(_ refusal: Refusal) -> String {
        let registered =
            [
                "invalid_request", "unauthorized_client", "access_denied", "unsupported_response_type", "invalid_scope",
                "temporarily_unavailable",
            ] + Refusal.unmetInteractions
        let error = registered.contains(refusal.error) ? refusal.error : "server_error"
        return url([("error", error), ("error_description", refusal.sentence)])
    }
}
