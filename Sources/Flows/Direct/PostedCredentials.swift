internal import Accounts
internal import JOSE
internal import Providers
package import Standards
internal import Stores
internal import Verification

/// Credentials that applications post, and the identities that they prove.
struct PostedCredentials: Sendable {
    let pipeline: Pipeline
    let authorization: ProviderAuthorization
    let nonces: Nonces
    let providerNonces: ProviderNonces
    let singleUse: SingleUse
    let freshLogin: FreshLoginCheck
    let seal: Seal
    let time: TimeSource

    /// Returns the identity that a credential proves.
    ///
    /// - Parameter intent: The purpose and the account of the request; `nil` to sign in. A session that was begun for
    ///   another intent is refused.
    /// - Throws: The error of the component that refused the credential.
    func identity(
        _ credential: Credential, registered: Registrations.Registered, intent: AccountIntent?
    ) async throws -> VerifiedIdentity {
        let (client, provider) = (registered.client, registered.provider)
        // An access token is refused later with a more exact reason than `unsupported_credential`.
        let hasRuleOfItsOwn = credential.type == .callback || credential.type == .accessToken
        guard hasRuleOfItsOwn || provider.acceptedCredentials.contains(credential.type) else {
            throw Refusal.unsupportedCredential(credential.type, accepting: provider.acceptedCredentials)
        }
        switch credential {
        case .authorizationCode(let code, let redirectURI, let codeVerifier, let nonce):
            guard client.providerRedirectURIs(at: provider).containsExactly(redirectURI)
            else { throw client.refusal(of: redirectURI, at: provider) }
            let proof = try self.codeVerifier(codeVerifier, for: provider)
            let expected = try self.nonce(nonce, for: provider)
            let grant = AuthorizationGrant(code: code, redirectURI: redirectURI, codeVerifier: proof)
            return try await pipeline.identity(
                redeeming: grant, nonce: expected, maximumAge: nil, at: provider, for: client)

        case .idToken(let idToken, let nonce, let accessToken):
            guard let openIDConnect = provider.openIDConnect else { throw Refusal.unsupportedCredential }
            let expected = try nonces.expected(nonce, rule: openIDConnect.nonceRule, registered: registered)
            return try await pipeline.identity(at: provider, for: client) { verifier in
                try await verifier.verify(
                    idToken, accessToken: accessToken, with: openIDConnect, of: provider, nonce: expected)
            }

        case .oauth1Token(let credentials, let nonce):
            guard let oauth1 = provider.oauth1 else { throw Refusal.unsupportedCredential }
            let record = try nonces.record(nonce, registered: registered)
            return try await pipeline.identity(at: provider, for: client) { verifier in
                try await verifier.verify(credentials, nonce: record, with: oauth1, of: provider)
            }

        case .accessToken(let accessToken, let nonce):
            guard provider.acceptedCredentials.contains(.accessToken),
                provider.openIDConnect != nil || provider.oauth2?.introspection != nil
            else { throw Refusal.audienceUnverifiable }
            let record = try nonces.record(nonce, registered: registered)
            return try await pipeline.identity(at: provider, for: client) { verifier in
                if let openIDConnect = provider.openIDConnect {
                    return try await verifier.verify(accessToken, nonce: record, with: openIDConnect, of: provider)
                }
                guard let oauth2 = provider.oauth2 else { throw Refusal.audienceUnverifiable }
                return try await verifier.verify(accessToken, nonce: record, with: oauth2, of: provider)
            }

        case .callback(let session, let callbackURL):
            return try await finish(session, callbackURL, registered: registered, intent: intent)

        case .pending:
            // Conflicts.identity(ofPending:) redeems it, because its identity was verified before.
            throw Refusal.unsupportedCredential
        }
    }

    /// Ends a flow that `DirectSignIn` began.
    ///
    /// A callback that does not belong to the session is refused before the session is spent, so that a forged callback
    /// cannot spend it. After that check the session is spent, and given back if the provider has not received the code.
    /// An attacker who has seen the code can still waste it, by posting it as a credential.
    private func finish(
        _ session: Secret, _ callbackURL: Secret, registered: Registrations.Registered, intent: AccountIntent?
    ) async throws -> VerifiedIdentity {
        let provider = registered.provider
        let session = try opened(session, registered)
        try check(session.intent, against: intent)
        let parameters = try CallbackURL.parameters(of: callbackURL, redirectURI: session.redirectURI)
        let response = try CallbackResponse.parse(parameters, bound: session.binding, isSilent: session.isSilent)
        try await authorization.requests.check(issuer: parameters["iss"], provider: provider)
        try await authorization.prepare(for: response, of: provider)
        try await singleUse.spend([session.record])
        let identity = try await singleUse.spent([session.record]).keepSpent {
            try await authorization.identity(
                answering: session.binding, by: response, with: parameters, redirectURI: session.redirectURI,
                at: provider, for: registered.client)
        }
        try freshLogin.check(identity, for: intent, since: session.beganAt, bound: session.binding, at: provider)
        return identity
    }

    private func opened(
        _ session: Secret, _ registered: Registrations.Registered
    ) throws -> SealedSession {
        guard
            let content = seal.open(session.secretText, as: .session, for: registered.client.id.text)
                .flatMap(SealedSession.init)
        else { throw Refusal.invalidSession }
        guard content.provider == registered.provider.id else { throw Refusal.sessionOfOtherProvider }
        guard time.now() < content.expiresAt else { throw Refusal.sessionExpired }
        return content
    }

    /// Refuses a session that was begun for another purpose or another account.
    private func check(_ begun: AccountIntent?, against wanted: AccountIntent?) throws {
        guard begun?.purpose == wanted?.purpose else {
            throw Refusal.otherPurpose(begun?.purpose, than: wanted?.purpose)
        }
        guard begun == wanted else { throw Refusal.userMismatch.spent }
    }

    /// Returns the code verifier for a posted code (RFC 7636 §4.5).
    ///
    /// A verifier is refused if no challenge was sent, and its absence if one was (RFC 9700 §4.8.2).
    private func codeVerifier(_ text: Secret?, for provider: Provider) throws -> CodeVerifier? {
        // Neither a nonce nor a verifier would bind the code to the application that posts it.
        if provider.openIDConnect == nil, provider.oauth2?.pkce == .off { throw Refusal.unsupportedCredential }
        if provider.openIDConnect?.pkce == .off {
            guard text == nil else { throw Refusal.parameterNotAllowed("code_verifier") }
            return nil
        }
        guard let text else { throw Refusal.codeVerifierRequired }
        guard let verifier = CodeVerifier(text.secretText) else { throw Refusal.codeVerifierMalformed }
        return verifier
    }

    /// Returns the nonce for a posted code.
    ///
    /// OpenID Connect requires the one that the application sent; the other protocols have none. The nonce of a flow that
    /// this server began is refused, because only the session or the cookie of that flow may end it.
    private func nonce(_ text: Secret?, for provider: Provider) throws -> ExpectedNonce? {
        guard provider.openIDConnect != nil else {
            guard text == nil else { throw Refusal.parameterNotAllowed("nonce") }
            return nil
        }
        guard let text, !text.isEmpty else { throw Refusal.nonceRequired }
        guard !providerNonces.contains(text.secretText) else { throw Refusal.nonceOfFlow }
        return ExpectedNonce(values: [text.secretText])
    }
}

/// A credential with which an application proves an identity.
package enum Credential: Sendable {
    /// A code that the application obtained itself. The protocol of the provider, and its configuration, decide whether
    /// `codeVerifier` and `nonce` are required.
    case authorizationCode(code: Secret, redirectURI: String, codeVerifier: Secret?, nonce: Secret?)
    /// An ID token. What `nonce` is depends on the ``NonceRule`` of the provider: the nonce of the token, or the value
    /// whose hash it is, such as the `nonce_verifier` of `POST /v1/nonce`.
    /// Only the rule ``NonceRule/none`` of the provider allows a missing `nonce`.
    case idToken(UnverifiedIDToken, nonce: Secret?, accessToken: AccessToken?)
    /// Token credentials of OAuth 1.0a. A missing `nonce` is refused later, as in ``accessToken(_:nonce:)``.
    case oauth1Token(TokenCredentials, nonce: Secret?)
    case accessToken(AccessToken, nonce: Secret?)
    /// The end of a flow that ``DirectSignIn/begin(_:for:)`` began.
    case callback(session: Secret, callbackURL: Secret)
    /// A pending credential, which replaces a credential that ended in a conflict.
    case pending(Secret)

    package var type: CredentialType {
        switch self {
        case .authorizationCode: .authorizationCode
        case .idToken: .idToken
        case .oauth1Token: .oauth1Token
        case .accessToken: .accessToken
        case .callback: .callback
        case .pending: .pending
        }
    }
}
