extension YahooStandIn {
    /// `/oauth2/request_auth`, by GET or POST.
    func showConsent(_ request: IncomingRequest) throws(Refusal) -> Answer {
        let parameters = try parameters(of: request)
        let asked = try authorizationRequest(parameters)
        return ConsentPage(
            provider: StandIn.yahoo.title, applicationName: title(of: asked.application), permissions: asked.scopes,
            action: Endpoint.yahooDecision.path, parameters: parameters
        ).answer
    }

    /// `/oauth2/request_auth/decision`: the same parameters again, which are believed no more than before.
    func decide(_ request: IncomingRequest) throws(Refusal) -> Answer {
        let parameters = try parameters(of: request)
        guard let decision = Decision(parameters) else {
            throw Refusal(Page.message("Sorry, that did not work", "Nobody was chosen.", status: 400))
        }
        let asked = try authorizationRequest(parameters.without(Decision.fields))
        let state = asked.state.map { [("state", $0)] } ?? []
        guard case .allowed(let user) = decision else {
            guard asked.redirectURI != "oob" else {
                return Page.message("You refused", "You may close this window.")
            }
            return .redirect(to: asked.redirectURI, adding: FormParameters([("error", "access_denied")] + state))
        }
        let grant = YahooGrant(
            clientID: asked.application.clientID, user: user, scopes: asked.scopes, nonce: asked.nonce,
            authTime: asked.wantsAuthTime ? clock.now : nil)
        let code = try issueCode(for: grant, redirectURI: asked.redirectURI, codeChallenge: asked.codeChallenge)
        guard asked.redirectURI != "oob" else {
            return Page.message("Your code", "Type this code into the application: \(code)")
        }
        return .redirect(to: asked.redirectURI, adding: FormParameters([("code", code)] + state))
    }

    /// Seven characters, as short as Yahoo's own.
    func issueCode(for grant: YahooGrant, redirectURI: String, codeChallenge: String?) throws(Refusal) -> String {
        let now = clock.now
        if codes.count > 10_000 { codes = codes.filter { $0.value.expiresAt > now } }
        var code: String
        repeat { code = try RandomText.make(7, of: RandomText.lowerCase) } while codes[code] != nil
        codes[code] = YahooCode(
            grant: grant, redirectURI: redirectURI, codeChallenge: codeChallenge, expiresAt: now + 600)
        return code
    }

    private func authorizationRequest(_ parameters: FormParameters) throws(Refusal) -> YahooAuthorizationRequest {
        let applications = applications
        return try YahooAuthorizationRequest(parameters) { applications[exactly: $0] }
    }

    private func parameters(of request: IncomingRequest) throws(Refusal) -> FormParameters {
        guard let query = request.queryParameters,
            let body = request.body.isEmpty ? FormParameters([]) : request.bodyParameters
        else { throw Refusal(Page.message("Sorry, that did not work", "INVALID_INPUT", status: 400)) }
        return query + body
    }

    private func title(of registration: YahooRegistration) -> String {
        SandboxApplication.all.first { $0.yahoo.clientID == registration.clientID }?.title ?? registration.clientID
    }
}
