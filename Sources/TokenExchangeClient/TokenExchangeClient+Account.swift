extension TokenExchangeClient {
    /// Returns the account of the user.
    public func account() async throws(TokenExchangeError) -> Account {
        Account(try await api.send(query("GET", "/v1/account"), as: AccountAnswer.self))
    }

    /// Links an identity to the account of the user, by a browser.
    ///
    /// If the identity belongs to another account, the reason is
    /// ``TokenExchangeError/Reason/credentialAlreadyInUse``.
    ///
    /// - Parameters:
    ///   - scopes: Further scopes of the provider.
    ///   - parameters: Further parameters of the provider or of the pages.
    ///   - browser: The browser; `nil` for that of the client.
    /// - Returns: The account, and a custom token with which to sign in again.
    public func link(
        with provider: Provider, scopes: [String] = [], parameters: [String: String] = [:], in browser: Browser? = nil
    ) async throws(TokenExchangeError) -> SignInResult {
        try await prove(
            try await grant(provider, scopes, parameters, .link, browser), at: "/v1/account/link")
    }

    /// Links an identity to the account of the user, by a credential.
    ///
    /// - Returns: The account, and a custom token with which to sign in again.
    public func link(
        with provider: Provider, credential: Credential
    ) async throws(TokenExchangeError) -> SignInResult {
        try await api.signIn(.post("/v1/account/link", body(provider, credential), isForUser: true))
    }

    /// Links the identity of a conflict to the account of the user, who need not sign in at the provider again.
    ///
    /// - Parameter pending: The ``TokenExchangeError/pendingCredential`` of the conflict.
    /// - Returns: The account, and a custom token with which to sign in again.
    public func link(_ pending: PendingCredential) async throws(TokenExchangeError) -> SignInResult {
        try await api.signIn(.post("/v1/account/link", body(pending), isForUser: true))
    }

    /// Removes an identity from the account of the user.
    public func unlink(_ provider: Provider) async throws(TokenExchangeError) -> Account {
        Account(
            try await api.send(
                .post(
                    "/v1/account/unlink",
                    ["client_id": .string(clientID), "provider": .string(provider.rawValue)], isForUser: true),
                as: UnlinkAnswer.self
            ).account)
    }

    /// Verifies the user again, by a fresh login at the provider in a browser.
    ///
    /// - Parameter browser: The browser; `nil` for that of the client.
    /// - Returns: The result, whose custom token starts a recent session.
    public func reauthenticate(
        with provider: Provider, in browser: Browser? = nil
    ) async throws(TokenExchangeError) -> SignInResult {
        try await prove(
            try await grant(provider, [], [:], .reauthenticate, browser), at: "/v1/account/reauthenticate")
    }

    /// Verifies the user again, by a credential of a fresh login.
    ///
    /// - Returns: The result, whose custom token starts a recent session.
    public func reauthenticate(
        with provider: Provider, credential: Credential
    ) async throws(TokenExchangeError) -> SignInResult {
        try await api.signIn(.post("/v1/account/reauthenticate", body(provider, credential), isForUser: true))
    }

    /// Moves the identities of the account of a conflict to the account of the user, and deletes that account.
    ///
    /// - Parameter pending: The ``TokenExchangeError/pendingCredential`` of a link that failed with
    ///   ``TokenExchangeError/Reason/credentialAlreadyInUse``.
    /// - Returns: The account, and a custom token with which to sign in again.
    public func merge(_ pending: PendingCredential) async throws(TokenExchangeError) -> MergeResult {
        try await merge("pending_credential", pending.handle)
    }

    /// Moves the identities of another account to the account of the user, and deletes the other account.
    ///
    /// - Parameter idToken: A recent Firebase ID token of the other account.
    /// - Returns: The account, and a custom token with which to sign in again.
    public func merge(fromIDToken idToken: String) async throws(TokenExchangeError) -> MergeResult {
        try await merge("from_id_token", idToken)
    }

    private func merge(_ proof: String, _ value: String) async throws(TokenExchangeError) -> MergeResult {
        try MergeResult(
            try await api.send(
                .post(
                    "/v1/account/merge", ["client_id": .string(clientID), proof: .string(value)], isForUser: true),
                as: MergeAnswer.self))
    }

    /// Refreshes the tokens of a provider whose identity is linked to the account of the user.
    ///
    /// - Parameter refreshToken: The ``ProviderTokens/refreshToken`` of an earlier result.
    /// - Returns: The tokens. A new refresh token replaces the old one.
    public func refreshProviderTokens(
        of provider: Provider, refreshToken: String
    ) async throws(TokenExchangeError) -> ProviderTokens {
        ProviderTokens(
            try await api.send(
                .post(
                    "/v1/provider-token",
                    [
                        "client_id": .string(clientID), "provider": .string(provider.rawValue),
                        "refresh_token": .string(refreshToken),
                    ], isForUser: true), as: RefreshAnswer.self
            ).oauth)
    }

    /// Revokes a token at its provider.
    ///
    /// Apple requires it of an application that deletes an account: call it before ``unlink(_:)`` or ``deleteAccount()``.
    ///
    /// - Parameter token: The ``ProviderTokens/refreshToken`` or ``ProviderTokens/accessToken`` of an earlier result.
    public func revokeProviderToken(_ token: String, of provider: Provider) async throws(TokenExchangeError) {
        _ = try await api.send(
            .post(
                "/v1/provider-token/revoke",
                [
                    "client_id": .string(clientID), "provider": .string(provider.rawValue), "token": .string(token),
                ], isForUser: true), as: EmptyAnswer.self)
    }

    /// Ends the Firebase sessions of the user on all devices, if the service account of the server may.
    ///
    /// - Returns: Whether sessions were ended.
    public func signOutEverywhere() async throws(TokenExchangeError) -> Bool {
        try await api.send(
            .post("/v1/account/signout", ["client_id": .string(clientID)], isForUser: true), as: SignOutAnswer.self
        ).sessionsRevoked ?? false
    }

    /// Deletes the account of the user permanently.
    ///
    /// - Returns: What became of the Firebase user; `nil` if the server says something unknown.
    @discardableResult
    public func deleteAccount() async throws(TokenExchangeError) -> RemovedUser? {
        try await api.send(query("DELETE", "/v1/account"), as: DeletionAnswer.self).firebaseUser
            .flatMap(RemovedUser.init)
    }

    /// Sends the handoff code of a flow with an intent.
    private func prove(
        _ grant: AuthorizationFlow.Grant, at path: String
    ) async throws(TokenExchangeError) -> SignInResult {
        let credential: [String: JSONValue] = [
            "type": .string("handoff"), "code": .string(grant.code), "redirect_uri": .string(grant.redirectURI),
            "code_verifier": .string(grant.codeVerifier),
        ]
        return try await api.signIn(
            .post(path, ["client_id": .string(clientID), "credential": .object(credential)], isForUser: true))
    }

    /// A request for the user without a body.
    func query(_ method: String, _ path: String) -> Call {
        Call(
            method: method, path: path + "?" + FormEncoding.text([("client_id", clientID)]), body: .none,
            isForUser: true)
    }
}
