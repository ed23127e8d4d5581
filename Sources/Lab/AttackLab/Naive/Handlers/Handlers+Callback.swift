internal import HTTPTypes
internal import Hummingbird
internal import Jansson

extension Handlers {
    /// `GET /callback/{provider}`: the provider has redirected the browser back.
    func callback(_ incoming: IncomingRequest) async throws(Refusal) -> Response {
        try checkPrefetch(incoming)
        let form = try Form(parsing: incoming.query ?? "")
        if environment.makes(.errorReflected), let description = form["error_description"] {
            throw .shown(description)
        }
        let cookies = FlowCookies(incoming.request)
        let flow = try await flows.answered(form["state"] ?? form["oauth_token"] ?? form["denied"], cookies)
        let path = String(incoming.path.dropFirst(Endpoint.callback.rawValue.count))
        guard let providerRequest = flow.providerRequest else { throw .stateMismatch }
        // RFC 9700 section 4.4: each provider has its own callback path, and the flow contains the provider that it
        // started with.
        let provider = environment.makes(.providerMixedUp) ? path : providerRequest.provider
        guard same(path, provider), [Yahoo.id, X.id].contains(provider) else { throw .stateMismatch }
        let code = try code(form)
        try checkIssuer(form["iss"], of: provider)
        try await flows.take(flow)
        var response = await finished(flow, providerRequest, by: code, at: provider)
        if let state = form["state"] { cookies.forget(state, in: &response) }
        return response
    }

    private func finished(
        _ flow: NaiveFlow, _ providerRequest: NaiveFlow.ProviderRequest, by code: Result<String, Refusal>,
        at provider: String
    ) async -> Response {
        let request = flow.request
        let origin = await publicOrigin.origin
        let answer = AuthorizationResponse(redirectURI: request.redirectURI, state: request.state, issuer: origin)
        let own = origin + Endpoint.callback.rawValue + provider
        do throws(Refusal) {
            let identity: Identity
            switch (provider, code) {
            case (_, .failure(let refusal)): throw refusal
            case (Yahoo.id, .success(let code)):
                identity = try await yahoo.identity(code: code, redirectURI: own, nonce: providerRequest.nonce)
            case (_, .success(let code)):
                identity = try await x.identity(
                    code: code, redirectURI: own, codeVerifier: providerRequest.codeVerifier)
            }
            var pairs = [(name: "code", value: try await handoffs.keep(identity, for: request))]
            if environment.makes(.tokenInURL) {
                let token = try await members(of: identity, asking: nil)["custom_token"]?.string ?? ""
                pairs.append(("custom_token", token))
            }
            return .seeOther(answer.url(pairs))
        } catch {
            return .seeOther(answer.url(error))
        }
    }

    /// The provider's response: a code, or the reason why there is none.
    private func code(_ form: Form) throws(Refusal) -> Result<String, Refusal> {
        // RFC 9700 section 2.1.2: a redirect must not contain tokens.
        guard form["access_token"] == nil, form["id_token"] == nil else { throw .stateMismatch }
        switch (form["code"], form["error"]) {
        case (let code?, nil): return .success(code)
        case (nil, "access_denied"?): return .failure(.accessDenied)
        case (nil, "invalid_scope"?): return .failure(.scope)
        case (nil, let error?) where Refusal.unmetInteractions.contains(error): return .failure(.interaction(error))
        case (nil, _?): return .failure(ProviderFailure.refused.refusal(isGivenBack: false))
        default: throw .stateMismatch
        }
    }

    /// Checks `iss` (RFC 9207 section 2.4).
    ///
    /// X has no issuer.
    private func checkIssuer(_ issuer: String?, of provider: String) throws(Refusal) {
        guard let issuer, provider == Yahoo.id, !environment.makes(.issuerParameterIgnored) else { return }
        guard same(issuer, yahoo.issuer) else { throw .issuerMismatch }
    }
}

extension Refusal {
    /// A page with a text that an attacker can choose in a link.
    fileprivate static func shown(_ text: String) -> Refusal {
        var refusal = stateMismatch
        refusal.page = text
        return refusal
    }
}
