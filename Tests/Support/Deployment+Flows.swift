package import Firebase
package import Flows
package import OAuth

/// A flow that has begun, and what a test has to know of it.
package struct TestFlow: Sendable {
    package let session: Secret
    package let authorizationURL: String
    package let redirectURI: String
    /// The parameters of the authorization request.
    package let parameters: Parameters

    /// The session's redirect URI with parameters behind it, which are encoded already.
    package func callback(_ query: String) -> Secret {
        Secret(redirectURI + "?" + query)
    }

    /// The callback that a provider of OAuth 2.0 makes.
    package func callback(code: String) -> Secret {
        callback("code=\(code)&state=\(parameters["state"] ?? "")")
    }

    /// The callback that a provider of OAuth 1.0a makes.
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

    /// The URL behind our page, if there is one: its button is pressed.
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
    ) async throws(SignInError) -> SignInOutcome {
        try await flows.direct.exchange(ExchangeRequest(client: client, provider: provider, credential: credential))
    }

    package func finish(
        _ flow: TestFlow, _ callbackURL: Secret, of provider: ProviderID, client: ClientID = DeploymentPlan.app
    ) async throws(SignInError) -> SignInOutcome {
        try await exchange(
            .callback(session: flow.session, callbackURL: callbackURL), of: provider, client: client)
    }

    /// An ID token of Yahoo's with a fresh nonce of ours, and the verifier that goes with it.
    ///
    /// `change`: what is wrong with the token.
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
