import Jansson

/// A valid request to the authorization endpoint of a provider.
private struct ProviderAuthorizationRequest {
    let registration: ProviderRegistration
    let redirectURI: String
    let scopes: [String]
    let state: String?
    let codeChallenge: String?

    /// - Throws: A page with the error, since the redirect URI may be wrong as well.
    init(
        _ parameters: FormParameters, of provider: DocumentedProvider, registration: ProviderRegistration?
    ) throws(Refusal) {
        guard let registration else { throw Self.page("The client_id is not known.") }
        guard let redirectURI = parameters["redirect_uri"], registration.redirectURIs.allows(redirectURI: redirectURI)
        else { throw Self.page("The redirect_uri is not one of the application's.") }
        guard parameters["response_type"] == "code" else { throw Self.page("The response_type is not code.") }
        scopes = (parameters["scope"] ?? "").split(separator: " ").map(String.init)
        guard scopes.allSatisfy(provider.scopes.contains) else { throw Self.page("The scope is not known.") }
        guard !scopes.isEmpty || provider.scopes.isEmpty else { throw Self.page("The scope is absent.") }
        guard provider.issuer == nil || parameters["nonce"]?.isEmpty == false else {
            throw Self.page("The nonce is absent.")
        }
        guard !provider.needsFormPost || scopes.isEmpty || parameters["response_mode"] == "form_post" else {
            throw Self.page("response_mode must be form_post when a scope is requested.")
        }
        codeChallenge = parameters["code_challenge"]
        let isComplete = parameters["code_challenge_method"] == "S256" && codeChallenge?.utf8.count == 43
        guard codeChallenge == nil || isComplete else { throw Self.page("The code_challenge is not one of S256.") }
        self.registration = registration
        self.redirectURI = redirectURI
        state = parameters["state"]
    }

    static func page(_ text: String) -> Refusal {
        Refusal(Page.message("Sorry, that did not work", text, status: 400))
    }
}

extension ProviderStandIn {
    func showConsent(_ request: IncomingRequest, of provider: DocumentedProvider) throws(Refusal) -> Answer {
        let parameters = request.queryParameters ?? FormParameters([])
        let asked = try authorizationRequest(parameters, of: provider)
        let application = SandboxApplication.all.first {
            registration(of: $0.name, at: provider)?.clientID == asked.registration.clientID
        }
        return ConsentPage(
            provider: provider.title, applicationName: application?.title ?? asked.registration.clientID,
            permissions: asked.scopes, action: provider.url(of: .providersDecision, at: "") ?? "",
            parameters: parameters, preselected: expected.user
        ).answer
    }

    /// The form sends all parameters again, and they are validated again.
    func decide(_ request: IncomingRequest, of provider: DocumentedProvider) throws(Refusal) -> Answer {
        guard let parameters = request.bodyParameters, let decision = Decision(parameters) else {
            throw ProviderAuthorizationRequest.page("Choose a user.")
        }
        let asked = try authorizationRequest(parameters.without(Decision.fields), of: provider)
        var response = asked.state.map { [("state", $0)] } ?? []
        switch decision {
        case .denied:
            response += provider.denial
        case .allowed(let user):
            let grant = ProviderGrant(
                provider: provider, clientID: asked.registration.clientID, user: user, scopes: asked.scopes,
                nonce: parameters["nonce"], hasClaims: parameters["claims"] != nil)
            response.append(
                ("code", try issueCode(for: grant, redirectURI: asked.redirectURI, codeChallenge: asked.codeChallenge)))
            if provider.namesIssuerInCallback { response.append(("iss", "\(origin)/\(provider.id)")) }
            if isFirstSignIn(grant), let firstSignIn = provider.firstSignIn {
                let text = String(decoding: try firstSignIn.json(values(of: grant)).serialized(), as: UTF8.self)
                response.append(("user", text))
            }
        }
        let callback = FormParameters(response)
        return parameters["response_mode"] == "form_post" && provider.needsFormPost
            ? FormPostPage(action: asked.redirectURI, parameters: callback).answer
            : .redirect(to: asked.redirectURI, adding: callback)
    }

    func issueCode(
        for grant: ProviderGrant, redirectURI: String, codeChallenge: String?
    ) throws(Refusal) -> String {
        let now = clock.now
        if codes.count > 10_000 { codes = codes.filter { $0.value.expiresAt > now } }
        let code = try RandomText.make(32)
        codes[code] = ProviderCode(
            grant: grant, redirectURI: redirectURI, codeChallenge: codeChallenge, expiresAt: now + 600)
        return code
    }

    private func authorizationRequest(
        _ parameters: FormParameters, of provider: DocumentedProvider
    ) throws(Refusal) -> ProviderAuthorizationRequest {
        guard !parameters.hasRepeatedName else { throw ProviderAuthorizationRequest.page("A parameter occurs twice.") }
        return try ProviderAuthorizationRequest(
            parameters, of: provider,
            registration: parameters["client_id"].flatMap { registration(clientID: $0, at: provider) })
    }
}

/// The page whose form brings the response to the application (OAuth 2.0 Form Post Response Mode).
struct FormPostPage {
    let action: String
    let parameters: FormParameters

    var answer: Answer {
        let hidden = parameters.pairs.map {
            "<input type=\"hidden\" name=\"\(Page.escape($0.name))\" value=\"\(Page.escape($0.value))\">"
        }
        var answer = Page(
            title: "Back to the application",
            content: """
                <form method="post" action="\(Page.escape(action))">
                \(hidden.joined(separator: "\n"))
                <button type="submit">Continue</button>
                </form>
                """,
            script: "document.forms[0].submit()"
        ).answer()
        answer.callback = Answer.redirect(to: action, adding: parameters).location
        return answer
    }
}
