package import Firebase
internal import JOSE
internal import Providers
package import SecondFactors
package import Standards
internal import Stores
internal import Verification

/// Sign-ins in which the application itself receives the provider's response, or has a credential already.
package struct DirectSignIn: Sendable {
    let registrations: Registrations
    let pipeline: Pipeline
    let credentials: PostedCredentials
    let conflicts: Conflicts
    let authorization: ProviderAuthorization
    let confirmations: ConfirmationPages
    let nonces: Nonces
    let callers: Callers
    let singleUse: SingleUse
    let seal: Seal
    let time: TimeSource
    let random: RandomSource

    /// Exchanges a credential of a provider for a custom token.
    package func exchange(_ request: ExchangeRequest) async throws -> SignInOutcome {
        if case .pending(let pending) = request.credential {
            let client = try registrations.client(request.client, naming: request.provider)
            let proven = try await conflicts.identity(
                ofPending: pending, for: .exchange, of: request.provider, by: nil, client: client)
            return try await pipeline.signIn(pending: proven, for: client)
        }
        let registered = try registrations.authorize(request)
        let identity = try await credentials.identity(request.credential, registered: registered, intent: nil)
        let proven = ProvenIdentity(
            identity, usesOfConflict: [.exchange, .link, .merge], spending: singleUse.spent(identity.returnable))
        return try await pipeline.signIn(proven, for: registered.client)
    }

    /// Continues a sign-in whose account has a second factor.
    ///
    /// - Throws: A refusal for a wrong code, after which the handle stays valid;
    ///   another one for a handle that is not valid.
    package func exchange(_ request: SecondFactorRequest) async throws -> SignInOutcome {
        let client = try registrations.client(request.client, naming: request.provider)
        let proven = try await pipeline.prove(
            request.code, of: request.pendingCredential, at: request.provider, for: client)
        return try await pipeline.signIn(pending: proven, for: client)
    }

    /// Exchanges a subject token for a custom token, by the grant of RFC 8693.
    package func exchangeSubjectToken(_ request: ExchangeRequest) async throws -> SignInOutcome {
        _ = try registrations.client(request.client, for: .tokenExchange)
        return try await exchange(request)
    }

    /// Issues a nonce for an ID token that the application obtains by itself.
    package func issueNonce(
        client: ClientID, provider: ProviderID
    ) throws -> IssuedNonce {
        try nonces.issue(client: client, provider: provider)
    }

    /// Makes a new account without an identity.
    package func signInAnonymously(client clientID: ClientID) async throws -> SignInOutcome {
        let client = try registrations.client(clientID)
        guard client.allowsAnonymous else {
            throw Refusal(
                .anonymousDisabled,
                "This client may not create anonymous accounts. Set anonymous in the configuration of the client.")
        }
        return try await pipeline.signInAnonymously(for: client)
    }

    /// Begins a flow for an application that owns its redirect URI.
    ///
    /// The session contains, sealed, every value that binds the callback.
    ///
    /// - Parameter user: The user whose account a request with a purpose is for. Such a request requires one.
    /// - Throws: The error of the first parameter that is wrong, or the error of the provider.
    package func begin(
        _ request: SignInRequest, for user: FirebaseUser? = nil
    ) async throws -> BegunSignIn {
        let registered = try registrations.authorize(request.client, request.provider)
        let provider = registered.provider
        guard
            RedirectURI.isRegistered(
                request.redirectURI, among: registered.client.providerRedirectURIs(at: registered.provider))
        else { throw registered.client.refusal(of: request.redirectURI, at: provider) }
        // In a fixed order, so that the same request is always refused for the same parameter.
        for name in request.parameters.keys.sorted() {
            guard !ReservedParameters.contains(name) else {
                throw Refusal.reservedParameter(name)
            }
            guard provider.allows(parameter: name) else {
                throw Refusal.parameterNotAllowed(name, at: provider)
            }
        }
        let intent = try await callers.intent(request.purpose, of: user, client: registered.client)
        let begun = try await authorization.begin(request, at: provider)
        var url = begun.url
        // At the provider, a flow that another person began to link looks like a sign-in. The page says what it does.
        if let intent { url = try await confirmations.page(before: begun, of: request, at: provider, for: intent) }
        return try session(request, url: url, binding: begun.binding, intent: intent?.0)
    }

    private func session(
        _ request: SignInRequest, url: String, binding: FlowBinding, intent: AccountIntent?
    ) throws -> BegunSignIn {
        let content = SealedSession(
            id: try random.unguessableText(), provider: request.provider,
            redirectURI: request.redirectURI, expiresAt: time.now() + SealedSession.lifetime, binding: binding,
            isSilent: ProviderAuthorization.isSilent(request.parameters["prompt"]), intent: intent)
        let session = try seal.seal(content.json, as: .session, for: request.client.text)
        return BegunSignIn(
            authorizationURL: Secret(url), session: Secret(session),
            expiresIn: SealedSession.lifetime.components.seconds)
    }
}

/// A credential of one provider, posted by one client.
package struct ExchangeRequest: Sendable {
    package let client: ClientID
    /// The provider; `nil` only for a pending credential, which stands for its provider.
    package let provider: ProviderID?
    package let credential: Credential

    package init(client: ClientID, provider: ProviderID?, credential: Credential) {
        self.client = client
        self.provider = provider
        self.credential = credential
    }
}

/// The second half of a sign-in whose account has a second factor.
package struct SecondFactorRequest: Sendable {
    package let client: ClientID
    /// The provider of the first half, if the request names it.
    package let provider: ProviderID?
    /// The handle of the first half.
    package let pendingCredential: Secret
    package let code: FactorCode

    package init(client: ClientID, provider: ProviderID? = nil, pendingCredential: Secret, code: FactorCode) {
        self.client = client
        self.provider = provider
        self.pendingCredential = pendingCredential
        self.code = code
    }
}

/// A flow that has begun: the URL for the person, and the session to post with the callback.
package struct BegunSignIn: Sendable {
    /// The URL of the provider, or of the confirmation page of this server if the flow has an intent.
    package let authorizationURL: Secret
    package let session: Secret
    /// The lifetime of the session in seconds.
    package let expiresIn: Int64
}

extension Refusal {
    package static func reservedParameter(_ name: String) -> Refusal {
        Refusal(
            .reservedParameter, "The server sets this parameter of the authorization request itself. Omit it.",
            .parameter(name))
    }
}
