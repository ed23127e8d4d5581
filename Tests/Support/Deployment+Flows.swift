package import Firebase
package import Flows
package import Standards

/// A flow that has begun, with the values that a test needs.
package struct TestFlow: Sendable {
    package let session: Secret
    package let authorizationURL: String
    package let redirectURI: String
    /// The parameters of the authorization request.
    package let parameters: Parameters

    /// Returns the redirect URI of the session with a query, which must be encoded already.
    package func callback(_ query: String) -> Secret {
        Secret(redirectURI + "?" + query)
    }

    /// Returns the callback of a provider of OAuth 2.0.
    package func callback(code: String) -> Secret {
        callback("code=\(code)&state=\(parameters["state"] ?? "")")
    }

    /// Returns the callback of a provider of OAuth 1.0a.
    package func callback(verifier: String) -> Secret {
        callback("oauth_token=\(parameters["oauth_token"] ?? "")&oauth_verifier=\(verifier)")
    }
}

extension Deployment {
    package func begin(
        _ provider: ProviderID, client: ClientID = DeploymentPlan.app,
        redirectURI: String = DeploymentPlan.redirectURI, scopes: [String] = [], parameters: [String: String] = [:],
        flow: String? = nil, purpose: AccountIntent.Purpose? = nil, for user: FirebaseUser? = nil
    ) async throws -> TestFlow {
        let begun = try await flows.direct.begin(
            SignInRequest(
                client: client, provider: provider, redirectURI: redirectURI, scopes: scopes, parameters: parameters,
                flow: flow, purpose: purpose), for: user)
        let url = try await providerURL(begun.authorizationURL.secretText, of: provider)
        return TestFlow(
            session: begun.session, authorizationURL: url, redirectURI: redirectURI,
            parameters: try Parameters.parse(url.drop { $0 != "?" }.dropFirst()))
    }

    /// Returns the URL at the provider.
    ///
    /// If `url` is a page of the deployment, its button is pressed.
    package func providerURL(_ url: String, of provider: ProviderID) async throws -> String {
        guard url.hasPrefix(Self.issuer) else { return url }
        let query = try Parameters.parse(url.drop { $0 != "?" }.dropFirst())
        guard case .ask(let prompt, let cookie) = try await flows.browser.authorize(query),
            case .finish(let url, _) = try await flows.browser.choose(
                provider, handle: prompt.handle.secretText, cookies: [cookie.name: cookie.value])
        else { throw DeploymentError.noPage }
        return url.secretText
    }

    package func exchange(
        _ credential: Credential, of provider: ProviderID, client: ClientID = DeploymentPlan.app
    ) async throws -> SignInOutcome {
        try await flows.direct.exchange(ExchangeRequest(client: client, provider: provider, credential: credential))
    }

    package func finish(
        _ flow: TestFlow, _ callbackURL: Secret, of provider: ProviderID, client: ClientID = DeploymentPlan.app
    ) async throws -> SignInOutcome {
        try await exchange(
            .callback(session: flow.session, callbackURL: callbackURL), of: provider, client: client)
    }

    /// Returns a Yahoo ID token with a new nonce of the deployment, and the verifier of that nonce.
    ///
    /// `change` modifies the token before it is signed.
    package func yahooIDToken(
        client: ClientID = DeploymentPlan.app, accessToken: AccessToken? = nil,
        _ change: (inout IDTokenBuilder) -> Void = { _ in }
    ) throws -> Credential {
        let issued = try flows.direct.issueNonce(client: client, provider: Yahoo.id)
        var builder = IDTokenBuilder.yahoo(nonce: issued.nonce, at: clock.now)
        change(&builder)
        return .idToken(try builder.token(), nonce: issued.verifier, accessToken: accessToken)
    }
}
