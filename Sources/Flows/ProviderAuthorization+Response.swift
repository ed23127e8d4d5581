internal import JOSE
internal import Jansson
internal import Providers
internal import Standards
internal import Stores
internal import Verification

extension ProviderAuthorization {
    /// Fetches the keys that verify the ID token of a code, before the flow and its code are spent: without them the
    /// sign-in fails.
    ///
    /// A refusal needs no keys. The application learns the person's decision although the provider's keys are unavailable.
    func prepare(for response: CallbackResponse, of provider: Provider) async throws {
        guard case .code = response, let openIDConnect = provider.openIDConnect else { return }
        _ = try await openIDConnect.keys.value()
    }

    /// Returns the identity that a response of the provider proves.
    ///
    /// - Parameters:
    ///   - parameters: The query that contains the response.
    ///   - scopes: The scopes that the application requested; `nil` if they are not known.
    /// - Throws: The refusal of the provider if the response is one.
    func identity(
        answering binding: FlowBinding, by response: CallbackResponse, with parameters: Parameters,
        beside scopes: [String]? = nil, redirectURI: String, at provider: Provider, for client: RegisteredClient
    ) async throws -> VerifiedIdentity {
        if case .refusal(let refusal) = response {
            let secrets = binding.secrets + provider.clientSecrets
            throw await self.refusal(refusal, provider, binding, beside: scopes)
                .quoting(ProviderWords.of(parameters, without: secrets))
        }
        let identity = try await identity(
            answering: binding, by: response, redirectURI: redirectURI, at: provider, for: client)
        guard let carried = provider.callbackName?.profile(in: parameters),
            // Without an answer the name is left out: the provider has spent the code.
            (try? await pipeline.isKnown(identity, for: client)) == false
        else { return identity }
        return identity.named(by: carried)
    }

    private func identity(
        answering binding: FlowBinding, by response: CallbackResponse, redirectURI: String,
        at provider: Provider, for client: RegisteredClient
    ) async throws -> VerifiedIdentity {
        switch (response, binding) {
        case (.refusal(let refusal), _): throw refusal.refusal
        case (.code(let code), .authorizationCode(_, let nonce, let codeVerifier, let maximumAge)):
            let grant = AuthorizationGrant(
                code: code, redirectURI: redirectURI, codeVerifier: codeVerifier.flatMap { CodeVerifier($0) })
            return try await pipeline.identity(
                redeeming: grant, nonce: nonce.map { ExpectedNonce(values: [$0]) },
                maximumAge: maximumAge.map { .seconds($0) }, at: provider, for: client)
        case (.verifier(let oauthVerifier), .temporaryCredentials(let identifier, let sharedSecret)):
            guard let oauth1 = provider.oauth1 else { throw Refusal.protocolGone }
            return try await pipeline.identity(
                redeeming: oauthVerifier,
                for: TemporaryCredentials(identifier: Secret(identifier), sharedSecret: Secret(sharedSecret)),
                with: oauth1, at: provider, for: client)
        case (.code, .temporaryCredentials), (.verifier, .authorizationCode):
            // CallbackResponse.parse reads a response by the rules of this binding.
            preconditionFailure("A response has the protocol of its binding.")
        }
    }
}

extension ProviderAuthorization {
    /// The refusal of a provider, which for a scope names those that were requested.
    private func refusal(
        _ refusal: ProviderRefusal, _ provider: Provider, _ binding: FlowBinding, beside scopes: [String]?
    ) async -> Refusal {
        guard refusal == .invalidScope, case .authorizationCode(_, let nonce, _, _) = binding else {
            return refusal.refusal
        }
        // Only a request to an OpenID Provider has a nonce, and its metadata was read for that request.
        let openIDConnect = nonce == nil ? nil : provider.openIDConnect
        guard let configured = openIDConnect?.scopes ?? provider.oauth2?.scopes else { return refusal.refusal }
        let supported = try? await openIDConnect?.endpoints().scopes
        return RefusedScopes(configured: configured, requested: scopes.map(provider.sent), supported: supported ?? nil)
            .refusal
    }
}

extension FlowBinding {
    /// The values that only this server, the browser and the provider know.
    fileprivate var secrets: [String] { members.values.compactMap(\.string) }
}

extension Provider {
    /// The client secrets of this server at the provider.
    fileprivate var clientSecrets: [String] {
        [openIDConnect?.clientAuthentication.secretText, oauth2?.clientAuthentication.secretText].compactMap(\.self)
    }
}
