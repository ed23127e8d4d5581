internal import Exchange
internal import JOSE
internal import OAuth
internal import OpenSSL
internal import Providers
internal import Stores
internal import Verification

extension Corridor {
    /// Through the rooms that this kind of credential needs.
    ///
    /// - `intent`: what the caller wants it for; nil to sign in. Only a session that was begun for the same ends here.
    func verifiedIdentity(
        _ request: ExchangeRequest, intent: AccountIntent?
    ) async throws(SignInError) -> VerifiedIdentity {
        let (client, provider) = try admit(request.client, request.provider)
        let type = request.credential.type
        guard type == .callback || provider.acceptedCredentials.contains(type) || explains(type)
        else { throw .unsupportedCredential }
        switch request.credential {
        case .authorizationCode(let code, let redirectURI, let codeVerifier, let nonce):
            guard client.providerRedirectURIs.contains(where: { $0.utf8.elementsEqual(redirectURI.utf8) })
            else { throw .redirectURINotAllowed }
            let proof = try self.codeVerifier(codeVerifier, for: provider)
            let expected = try self.nonce(nonce, for: provider)
            let grant = AuthorizationGrant(code: code, redirectURI: redirectURI, codeVerifier: proof)
            return try await redeemed(grant, nonce: expected, maximumAge: nil, at: provider)

        case .idToken(let idToken, let nonce, let accessToken):
            guard let openIDConnect = provider.openIDConnect else { throw .unsupportedCredential }
            let expected = try expectedNonce(nonce, rule: openIDConnect.nonceRule, client: client, provider: provider)
            return try await verifying(at: provider) { () async throws(VerificationError) in
                try await verifier.verify(
                    idToken, accessToken: accessToken, with: openIDConnect, of: provider, nonce: expected)
            }

        case .oauth1Token(let credentials, let nonce):
            guard let oauth1 = provider.oauth1 else { throw .unsupportedCredential }
            let record = try nonceRecord(nonce, client: client, provider: provider)
            return try await verifying(at: provider) { () async throws(VerificationError) in
                try await verifier.verify(credentials, nonce: record, with: oauth1, of: provider)
            }

        case .accessToken(let accessToken, let nonce):
            guard let openIDConnect = provider.openIDConnect, provider.acceptedCredentials.contains(.accessToken)
            else { throw .verification(.audienceUnverifiable) }
            let record = try nonceRecord(nonce, client: client, provider: provider)
            return try await verifying(at: provider) { () async throws(VerificationError) in
                try await verifier.verify(accessToken, nonce: record, with: openIDConnect, of: provider)
            }

        case .callback(let session, let callbackURL):
            return try await finish(session, callbackURL, client: client, provider: provider, intent: intent)

        case .pending:
            // It stands for an identity that was verified before, and is opened where it may be used.
            throw .unsupportedCredential
        }
    }

    /// A bare access token is answered with the reason for which no configuration takes it, rather than as unknown.
    private func explains(_ type: CredentialType) -> Bool { type == .accessToken }

    /// Exchanges a code, and verifies what came for it.
    func redeemed(
        _ grant: consuming AuthorizationGrant, nonce: ExpectedNonce?, maximumAge: Duration?, at provider: Provider
    ) async throws(SignInError) -> VerifiedIdentity {
        if let openIDConnect = provider.openIDConnect {
            guard let nonce else { throw .nonceRequired }
            let tokens: ProviderTokens
            do {
                tokens = try await exchanger.exchange(grant, with: openIDConnect, of: provider)
            } catch {
                throw .exchange(error)
            }
            return try await verifying(at: provider) { () async throws(VerificationError) in
                try await verifier.verify(
                    tokens, with: openIDConnect, of: provider, nonce: nonce, maximumAuthenticationAge: maximumAge)
            }
        }
        guard let oauth2 = provider.oauth2 else { throw .unsupportedCredential }
        let tokens: ProviderTokens
        do {
            tokens = try await exchanger.exchange(grant, with: oauth2, of: provider)
        } catch {
            throw .exchange(error)
        }
        return try await verifying(at: provider) { () async throws(VerificationError) in
            try await verifier.verify(tokens, with: oauth2, of: provider)
        }
    }

    func verifying(
        at provider: Provider, _ verify: () async throws(VerificationError) -> VerifiedIdentity
    ) async throws(SignInError) -> VerifiedIdentity {
        let identity: VerifiedIdentity
        do {
            identity = try await verify()
        } catch {
            throw .verification(error)
        }
        return try await withProfile(identity, at: provider)
    }

    /// RFC 7636 §4.5; a verifier where no challenge was sent is refused like its absence where one was (RFC 9700
    /// §4.8.2).
    private func codeVerifier(_ text: Secret?, for provider: Provider) throws(SignInError) -> CodeVerifier? {
        if let openIDConnect = provider.openIDConnect, openIDConnect.pkce == .off {
            guard text == nil else { throw .parameterNotAllowed("code_verifier") }
            return nil
        }
        guard let text else { throw .codeVerifierRequired }
        guard let verifier = CodeVerifier(text.secretText) else { throw .codeVerifierMalformed }
        return verifier
    }

    /// OpenID Connect needs the nonce that the application sent; elsewhere there is none.
    private func nonce(_ text: Secret?, for provider: Provider) throws(SignInError) -> ExpectedNonce? {
        guard provider.openIDConnect != nil else {
            guard text == nil else { throw .parameterNotAllowed("nonce") }
            return nil
        }
        guard let text, !text.isEmpty else { throw .nonceRequired }
        return ExpectedNonce(values: [text.secretText])
    }
}
