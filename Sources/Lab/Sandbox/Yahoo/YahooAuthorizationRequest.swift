/// A request to `/oauth2/request_auth` that may be shown to a person.
struct YahooAuthorizationRequest {
    let application: YahooRegistration
    let redirectURI: String
    let scopes: [String]
    let state: String?
    let nonce: String?
    let wantsAuthTime: Bool
    let codeChallenge: String?

    /// - Throws: the error page. Yahoo shows all but a person's refusal on a page of its own, so that the application
    ///   never hears of it.
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
        // The application's permissions were ticked beforehand, and a lesser one is another one.
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
        // OpenID Connect Core §2: auth_time is required where max_age is requested.
        wantsAuthTime = parameters["max_age"] != nil
    }

    private static func codeChallenge(
        _ parameters: FormParameters, _ pkce: YahooRegistration.PKCE
    ) throws(Refusal) -> String? {
        let challenge = parameters["code_challenge"]
        let method = parameters["code_challenge_method"]
        if challenge == nil, method == nil { return nil }
        guard pkce == .s256 else {
            // A confidential client is refused in words that mislead.
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
