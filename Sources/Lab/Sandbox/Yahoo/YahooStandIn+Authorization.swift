/// A valid request to `/oauth2/request_auth`.
struct YahooAuthorizationRequest {
    let application: YahooRegistration
    let redirectURI: String
    let scopes: [String]
    let state: String?
    let nonce: String?
    let wantsAuthTime: Bool
    let codeChallenge: String?

    /// - Throws: The error page. Yahoo shows every error except the user's refusal on its own page, so the application
    ///   does not learn of it.
    init(
        _ parameters: FormParameters, application find: (String) -> YahooRegistration?
    ) throws(Refusal) {
        guard !parameters.hasRepeatedName else {
            throw Self.page("INVALID_INPUT", "A parameter occurs twice.")
        }
        guard let application = parameters["client_id"].flatMap(find) else {
            throw Self.page("INVALID_CONSUMER_KEY", "The client_id is not known.")
        }
        guard let redirectURI = parameters["redirect_uri"],
            redirectURI == "oob" || application.redirectURIs.allows(redirectURI: redirectURI)
        else { throw Self.page("INVALID_CALLBACK_URL", "The redirect_uri is not one of the application's.") }
        guard parameters["response_type"] == "code" else {
            throw Self.page("INVALID_RESPONSE_TYPE", "The response_type is not code.")
        }
        let scopes = (parameters["scope"] ?? "").split { $0 == " " || $0 == "," }.map(String.init)
        // The scopes must be among those selected at the registration. A weaker scope that was not selected is refused.
        guard !scopes.isEmpty, scopes.allSatisfy(application.permissions.contains) else {
            throw Self.page("INVALID_SCOPE", "The scope does not match the application's permissions.")
        }
        guard parameters["nonce"]?.isEmpty == false || !scopes.contains("openid") else {
            throw Self.page("PARAMETER_ABSENT", "The nonce is absent.")
        }
        guard ["consent", "login", nil].contains(parameters["prompt"]) else {
            throw Self.page("PARAMETER_REJECTED", "The prompt is neither consent nor login.")
        }
        codeChallenge = try Self.codeChallenge(parameters, application.pkce)
        self.application = application
        self.redirectURI = redirectURI
        self.scopes = scopes
        state = parameters["state"]
        nonce = parameters["nonce"]
        // OpenID Connect Core §2: auth_time is required if max_age is requested.
        wantsAuthTime = parameters["max_age"] != nil
    }

    private static func codeChallenge(
        _ parameters: FormParameters, _ pkce: YahooRegistration.PKCE
    ) throws(Refusal) -> String? {
        let challenge = parameters["code_challenge"]
        let method = parameters["code_challenge_method"]
        if challenge == nil, method == nil { return nil }
        guard pkce == .s256 else {
            // Yahoo's error for a confidential client is misleading: the client_id is valid.
            throw page("unauthorized_client", "invalid client id")
        }
        guard let challenge, method == "S256", challenge.utf8.count == 43 else {
            throw page("invalid_request", "invalid code challenge or method")
        }
        return challenge
    }

    private static func page(_ error: String, _ text: String) -> Refusal {
        Refusal(Page.message("Sorry, that did not work", "\(error): \(text)", status: 400))
    }
}

extension YahooStandIn {
    /// `/oauth2/request_auth`, by GET or POST.
    func showConsent(_ request: IncomingRequest) throws(Refusal) -> Answer {
        let parameters = try parameters(of: request)
        let asked = try authorizationRequest(parameters)
        return ConsentPage(
            provider: StandIn.yahoo.title, applicationName: title(of: asked.application), permissions: asked.scopes,
            action: Endpoint.yahooDecision.path, parameters: parameters, preselected: expected.user
        ).answer
    }

    /// `/oauth2/request_auth/decision`: the form sends all parameters again, and they are validated again.
    func decide(_ request: IncomingRequest) throws(Refusal) -> Answer {
        let parameters = try parameters(of: request)
        guard let decision = Decision(parameters) else {
            throw Refusal(Page.message("Sorry, that did not work", "Choose a user.", status: 400))
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

    /// Issues a code of seven characters, as short as Yahoo's own.
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
