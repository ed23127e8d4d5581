internal import Exchange
internal import JOSE
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
    /// - Throws: The refusal of the provider if the response is one.
    func identity(
        answering binding: FlowBinding, by response: CallbackResponse, with parameters: Parameters, redirectURI: String,
        at provider: Provider, for client: RegisteredClient
    ) async throws -> VerifiedIdentity {
        let identity = try await identity(
            answering: binding, by: response, redirectURI: redirectURI, at: provider, for: client)
        guard let carried = provider.callbackName?.profile(in: parameters),
            try await !pipeline.isKnown(identity, for: client)
        else { return identity }
        return identity.named(by: carried)
    }

    private func identity(
        answering binding: FlowBinding, by response: CallbackResponse, redirectURI: String,
        at provider: Provider, for client: RegisteredClient
    ) async throws -> VerifiedIdentity {
        switch (response, binding) {
        case (.refusal(let refusal), _):
            throw refusal.refusal
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
