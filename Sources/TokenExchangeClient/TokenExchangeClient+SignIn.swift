internal import Foundation

extension TokenExchangeClient {
    /// Signs a user in by the pages of the server and the provider, in a browser.
    ///
    /// The server asks for a second factor and settles conflicts on its pages. If no page can settle a conflict, because
    /// the account has only other ways in, such as a password, the error is
    /// ``TokenExchangeError/Reason/accountExistsWithDifferentCredential`` with ``TokenExchangeError/providers`` and a
    /// ``TokenExchangeError/pendingCredential`` to link. If the user cancels, it has neither.
    ///
    /// - Parameters:
    ///   - scopes: Further scopes of the provider, such as `mail-r`.
    ///   - parameters: Further parameters of the provider, such as `prompt`, or of the pages, such as `ui_locales`.
    ///   - browser: The browser; `nil` for that of the client.
    /// - Returns: The result, with a custom token for Firebase.
    public func signIn(
        with provider: Provider, scopes: [String] = [], parameters: [String: String] = [:], in browser: Browser? = nil
    ) async throws(TokenExchangeError) -> SignInResult {
        let grant = try await grant(provider, scopes, parameters, nil, browser)
        return try await api.signIn(
            .form(
                "/token",
                [
                    ("grant_type", "authorization_code"), ("client_id", clientID), ("code", grant.code),
                    ("redirect_uri", grant.redirectURI), ("code_verifier", grant.codeVerifier),
                ]))
    }

    /// Signs a user in by a credential of the provider that the application has.
    ///
    /// - Returns: The result, with a custom token for Firebase.
    public func signIn(
        with provider: Provider, credential: Credential
    ) async throws(TokenExchangeError) -> SignInResult {
        try await api.signIn(.post("/v1/exchange", body(provider, credential)))
    }

    /// Signs a user in to the account that has the identity of a conflict.
    ///
    /// After a link by a browser, which another person may have begun, the reason is
    /// ``TokenExchangeError/Reason/intentMismatch``: call ``signIn(with:scopes:parameters:in:)`` again.
    ///
    /// - Parameter pending: The ``TokenExchangeError/pendingCredential`` of ``link(with:credential:)``, if that failed with
    ///   ``TokenExchangeError/Reason/credentialAlreadyInUse``.
    /// - Returns: The result, with a custom token for Firebase.
    public func signIn(with pending: PendingCredential) async throws(TokenExchangeError) -> SignInResult {
        try await api.signIn(.post("/v1/exchange", body(pending)))
    }

    /// Continues a sign-in that was refused with ``TokenExchangeError/Reason/secondFactorRequired``.
    ///
    /// - Parameter pending: The ``TokenExchangeError/pendingCredential`` of the refusal.
    /// - Returns: The result, with a custom token for Firebase.
    public func signIn(
        finishing pending: PendingCredential, with code: FactorCode
    ) async throws(TokenExchangeError) -> SignInResult {
        let credential: [String: JSONValue] = [
            "type": .string("second_factor"), "pending_credential": .string(pending.handle),
            code.kind.rawValue: .string(code.text),
        ]
        return try await api.signIn(
            .post("/v1/exchange", ["client_id": .string(clientID), "credential": .object(credential)]))
    }

    /// Creates an anonymous account, which becomes permanent with its first link.
    ///
    /// - Returns: The result, with a custom token for Firebase.
    public func signInAnonymously() async throws(TokenExchangeError) -> SignInResult {
        try await api.signIn(.post("/v1/anonymous", ["client_id": .string(clientID)]))
    }

    /// Signs a user in who has a browser only on another device.
    ///
    /// - Parameters:
    ///   - provider: The provider; `nil` lets the user choose.
    ///   - scopes: Further scopes of the provider.
    /// - Returns: The states of the sign-in, which begins with the first of them.
    public func deviceSignIn(with provider: Provider? = nil, scopes: [String] = []) -> DeviceSignIn {
        DeviceSignIn(clientID: clientID, provider: provider, scopes: scopes, api: api)
    }

    /// Returns a nonce for an ID token that the application obtains itself.
    public func nonce(for provider: Provider) async throws(TokenExchangeError) -> Nonce {
        Nonce(
            try await api.send(
                .post("/v1/nonce", ["client_id": .string(clientID), "provider": .string(provider.rawValue)]),
                as: NonceAnswer.self))
    }

    /// Runs a flow in a browser.
    func grant(
        _ provider: Provider, _ scopes: [String], _ parameters: [String: String], _ intent: AuthorizationFlow.Intent?,
        _ browser: Browser?
    ) async throws(TokenExchangeError) -> AuthorizationFlow.Grant {
        let flow = AuthorizationFlow(
            clientID: clientID, provider: provider, scopes: scopes, parameters: parameters, intent: intent, api: api)
        return try await flow.grant(in: browser ?? self.browser)
    }

    /// The members of a request with a pending credential, which stands for its provider.
    func body(_ pending: PendingCredential) -> [String: JSONValue] {
        [
            "client_id": .string(clientID),
            "credential": .object([
                "type": .string("pending"), "pending_credential": .string(pending.handle),
            ]),
        ]
    }

    /// The members of a request with a credential.
    func body(_ provider: Provider, _ credential: Credential) -> [String: JSONValue] {
        ["client_id": .string(clientID), "provider": .string(provider.rawValue), "credential": credential.json]
    }
}

extension ServerAPI {
    /// Sends a request whose response is a sign-in.
    func signIn(_ call: Call) async throws(TokenExchangeError) -> SignInResult {
        let data = try await send(call)
        let members = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any]
        let profile = (members?["provider_profile"] as? [String: Any])
            .flatMap { try? JSONSerialization.data(withJSONObject: $0, options: .sortedKeys) }
        return try SignInResult(try Self.decode(SignInAnswer.self, data), providerProfile: profile)
    }
}
