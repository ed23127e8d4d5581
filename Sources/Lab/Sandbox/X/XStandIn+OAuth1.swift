extension XStandIn {
    /// `/oauth/request_token`: the request is signed with the consumer's secret only.
    func requestToken(_ request: IncomingRequest) throws(Refusal) -> Answer {
        let (oauth, consumer, _) = try verified(request, at: .xRequestToken) { $0 == nil ? .consumerOnly : nil }
        guard let callback = oauth.parameters["oauth_callback"],
            callback == "oob" || consumer.callbacks.allows(redirectURI: callback)
        else { throw Self.error(403, code: 415, "Callback URL not approved for this client application.") }
        guard ["read", "write", nil].contains(oauth.parameters["x_auth_access_type"]) else {
            throw Self.error(400, code: 215, "Bad Authentication data.")
        }
        let now = clock.now
        if requestTokens.count > 10_000 { requestTokens = requestTokens.filter { $0.value.expiresAt > now } }
        let token = try RandomText.make(27)
        let secret = try RandomText.make(32)
        requestTokens[token] = XRequestToken(
            secret: secret, consumerKey: consumer.consumerKey, callback: callback, expiresAt: now + 600)
        return .parametersAsHTML(
            FormParameters([
                ("oauth_token", token), ("oauth_token_secret", secret), ("oauth_callback_confirmed", "true"),
            ]))
    }

    /// `/oauth/authenticate` and `/oauth/authorize`.
    ///
    /// With `bouncing` a user who has already consented is redirected without being asked.
    func showOAuth1Consent(_ request: IncomingRequest, bouncing: Bool) throws(Refusal) -> Answer {
        guard let query = request.queryParameters, !query.hasRepeatedName, let name = query["oauth_token"],
            let token = openRequestToken(name)
        else { throw Self.page("There is no request token for this page, or it was used or is too old.") }
        if bouncing, query["force_login"] != "true", let user = signedInUser(request),
            approvals[token.consumerKey]?.contains(user.key) == true
        {
            return try approve(name, token, by: user)
        }
        let consumer = applications.values.first { $0.consumerKey == token.consumerKey }
        return ConsentPage(
            provider: StandIn.x.title, applicationName: title(of: consumer), permissions: [],
            action: (bouncing ? Endpoint.xAuthenticateDecision : .xAuthorizeDecision).path,
            parameters: FormParameters([("oauth_token", name)]),
            preselected: query["screen_name"].flatMap { asked in SandboxUser.all.first { $0.screenName == asked } }
                ?? expected.user
        ).answer
    }

    func decideOAuth1(_ request: IncomingRequest) throws(Refusal) -> Answer {
        guard let form = request.bodyParameters, !form.hasRepeatedName, let decision = Decision(form),
            let name = form["oauth_token"], let token = openRequestToken(name)
        else { throw Self.page("There is no request token for this page, or no user was chosen.") }
        guard case .allowed(let user) = decision else {
            requestTokens[name] = nil
            guard token.callback != "oob" else { return Page.message("You refused", "You may close this window.") }
            // The redirect after a refusal contains neither oauth_token nor oauth_verifier.
            return .redirect(to: token.callback, adding: FormParameters([("denied", name)]))
        }
        approvals[token.consumerKey, default: []].insert(user.key)
        var answer = try approve(name, token, by: user)
        answer.header.append(("Set-Cookie", "\(Self.cookieName)=\(user.key); Path=/; HttpOnly; SameSite=Lax"))
        return answer
    }

    /// `/oauth/access_token`: signed with the secret of the request token, which is valid once and with one verifier.
    func accessToken(_ request: IncomingRequest) throws(Refusal) -> Answer {
        let now = clock.now
        let tokens = requestTokens
        let (oauth, consumer, signer) = try verified(request, at: .xAccessToken) { name in
            name.flatMap { tokens[exactly: $0] }.flatMap { $0.expiresAt > now ? .requestToken($0) : nil }
        }
        guard case .requestToken(let token) = signer, let name = oauth.token else { throw Self.couldNotAuthenticate }
        requestTokens[name] = nil
        guard let approval = token.approval,
            oauth.parameters["oauth_verifier"]?.utf8.elementsEqual(approval.verifier.utf8) == true
        else {
            // Some errors of the OAuth endpoints are plain text.
            throw Refusal(.text("Error processing your OAuth request: Invalid oauth_verifier parameter", status: 401))
        }
        let issued = try issueOAuth1Token(for: approval.user, consumerKey: consumer.consumerKey)
        return .parametersAsHTML(
            FormParameters([
                ("oauth_token", issued.name), ("oauth_token_secret", issued.secret), ("user_id", approval.user.xID),
                ("screen_name", approval.user.screenName),
            ]))
    }

    func issueOAuth1Token(
        for user: SandboxUser, consumerKey: String
    ) throws(Refusal) -> (name: String, secret: String) {
        let name = user.xID + "-" + (try RandomText.make(40))
        let secret = try RandomText.make(45)
        oauth1Tokens[name] = XOAuth1Token(secret: secret, consumerKey: consumerKey, user: user)
        return (name, secret)
    }

    private func approve(
        _ name: String, _ token: XRequestToken, by user: SandboxUser
    ) throws(Refusal) -> Answer {
        let isPIN = token.callback == "oob"
        let verifier = isPIN ? try RandomText.digits(7) : try RandomText.make(32)
        requestTokens[name]?.approval = (user, verifier)
        guard !isPIN else { return Page.message("Your PIN", "Type this PIN into the application: \(verifier)") }
        return .redirect(
            to: token.callback, adding: FormParameters([("oauth_token", name), ("oauth_verifier", verifier)]))
    }

    /// Returns a request token that is not expired and that the user has not decided on.
    private func openRequestToken(_ name: String) -> XRequestToken? {
        guard let token = requestTokens[exactly: name], token.expiresAt > clock.now, token.approval == nil else {
            return nil
        }
        return token
    }

    private func signedInUser(_ request: IncomingRequest) -> SandboxUser? {
        request.cookie(Self.cookieName).flatMap(SandboxUser.init(key:))
    }

    /// A cookie is sent to all ports of a host, so its name must differ from those of the server under test.
    private static var cookieName: String { "sandbox_x_user" }
}
