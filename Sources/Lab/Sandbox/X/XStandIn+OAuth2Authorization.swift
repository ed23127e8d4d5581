import JOSE

extension XStandIn {
    /// `/i/oauth2/authorize`.
    func showOAuth2Consent(_ request: IncomingRequest) throws(Refusal) -> Answer {
        guard let query = request.queryParameters else { throw Self.page(Self.noAccess) }
        let asked = try authorizationRequest(query)
        return ConsentPage(
            provider: StandIn.x.title, applicationName: title(of: asked.application), permissions: asked.scopes,
            action: Endpoint.xOAuth2Decision.path, parameters: query, preselected: expected.user
        ).answer
    }

    /// `/i/oauth2/authorize/decision`: the form sends all parameters again, and they are validated again.
    func decideOAuth2(_ request: IncomingRequest) throws(Refusal) -> Answer {
        guard let query = request.queryParameters,
            let body = request.body.isEmpty ? FormParameters([]) : request.bodyParameters,
            let decision = Decision(query + body)
        else { throw Self.page(Self.noAccess) }
        let asked = try authorizationRequest((query + body).without(Decision.fields))
        let state = asked.state.map { [("state", $0)] } ?? []
        guard case .allowed(let user) = decision else {
            return .redirect(to: asked.redirectURI, adding: FormParameters(state + [("error", "access_denied")]))
        }
        let code = try issueCode(
            for: XGrant(clientID: asked.application.clientID, user: user, scopes: asked.scopes),
            redirectURI: asked.redirectURI, codeChallenge: asked.codeChallenge)
        return .redirect(to: asked.redirectURI, adding: FormParameters(state + [("code", code)]))
    }

    /// Issues a code that is valid for 30 seconds.
    func issueCode(
        for grant: XGrant, redirectURI: String, codeChallenge: XCodeChallenge
    ) throws(Refusal) -> String {
        let now = clock.now
        if codes.count > 10_000 { codes = codes.filter { $0.value.expiresAt > now } }
        let code = try opaqueToken("ac")
        codes[code] = XCode(
            grant: grant, redirectURI: redirectURI, codeChallenge: codeChallenge, expiresAt: now + 30)
        return code
    }

    /// Generates a token in the form of X's: base64 for `<random>:<milliseconds>:1:1:<kind>:1`.
    ///
    /// It does not name the user.
    func opaqueToken(_ kind: String) throws(Refusal) -> String {
        Base64URL.encode(Array("\(try RandomText.make(43)):\(clock.now * 1000):1:1:\(kind):1".utf8))
    }

    private struct AuthorizationRequest {
        let application: XRegistration
        let redirectURI: String
        let scopes: [String]
        let state: String?
        let codeChallenge: XCodeChallenge
    }

    /// - Throws: The page that X shows for every malformed request. X never redirects then.
    private func authorizationRequest(_ parameters: FormParameters) throws(Refusal) -> AuthorizationRequest {
        let scopes = (parameters["scope"] ?? "").split(separator: " ").map(String.init)
        guard !parameters.hasRepeatedName, parameters["response_type"] == "code",
            let application = application(clientID: parameters["client_id"]),
            let redirectURI = parameters["redirect_uri"], application.callbacks.allows(redirectURI: redirectURI),
            !scopes.isEmpty, Self.scopes.isSuperset(of: scopes), (parameters["state"] ?? "").count <= 500,
            let challenge = parameters["code_challenge"], (1...128).contains(challenge.utf8.count),
            // RFC 7636 §4.3: the default method is plain.
            let method = XCodeChallenge.Method(rawValue: parameters["code_challenge_method"] ?? "plain"),
            method == .plain || challenge.utf8.count == 43
        else { throw Self.page(Self.noAccess) }
        return AuthorizationRequest(
            application: application, redirectURI: redirectURI, scopes: scopes, state: parameters["state"],
            codeChallenge: XCodeChallenge(value: challenge, method: method))
    }

    func application(clientID: String?) -> XRegistration? {
        applications.values.first { $0.clientID.utf8.elementsEqual((clientID ?? "").utf8) }
    }

    private static var noAccess: String {
        "You weren't able to give access to the App. Go back and try logging in again."
    }

    private static let scopes: Set<String> = [
        "tweet.read", "tweet.write", "tweet.moderate.write", "users.email", "users.read", "follows.read",
        "follows.write", "offline.access", "space.read", "mute.read", "mute.write", "like.read", "like.write",
        "list.read", "list.write", "block.read", "block.write", "bookmark.read", "bookmark.write", "dm.read",
        "dm.write", "media.write",
    ]
}
