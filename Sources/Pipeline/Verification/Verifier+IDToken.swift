package import Exchange
internal import JOSE
internal import Jansson
package import Providers
package import Standards
package import Stores

extension Verifier {
    /// Verifies the ID token that a provider issued for a code.
    ///
    /// - Parameters:
    ///   - tokens: The tokens for the code.
    ///   - openIDConnect: The provider's keys and this server's client at that provider.
    ///   - provider: The provider.
    ///   - nonce: The nonce of the authorization request. Without it, a stolen code could be injected at a provider
    ///     that ignores PKCE (RFC 9700 §4.5).
    ///   - maximumAuthenticationAge: The `max_age` of the authorization request; `nil` if it had none.
    /// - Returns: The identity of the ID token.
    /// - Throws: The refusal of the first rule that fails, or of the provider.
    package func verify(
        _ tokens: ProviderTokens, with openIDConnect: OpenIDConnect, of provider: Provider, nonce: ExpectedNonce,
        maximumAuthenticationAge: Duration?
    ) async throws(Refusal) -> VerifiedIdentity {
        try await redeemed {
            guard let idToken = tokens.idToken else { throw ProviderFailure.malformedResponse("id_token") }
            // The code was issued to the client that redeemed it, so that its client id is the only audience. The token
            // comes directly from the endpoint, so that only its own expiry limits its age.
            let (claims, record) = try await evidence(
                idToken, .redeemed, with: openIDConnect, audiences: [openIDConnect.clientID], maximumAge: nil,
                nonce: nonce, maximumAuthenticationAge: maximumAuthenticationAge)
            if let accessToken = tokens.accessToken, claims["at_hash"] != nil {
                try AccessTokenHash.check(claims, accessToken: accessToken.secret.secretText)
            }
            try await spend([record] + [nonce.record].compactMap(\.self))
            return try identity(
                claims, accessToken: tokens.accessToken, with: openIDConnect, of: provider,
                proof: .authorizationCode, returnable: [],
                tokens: ReturnedTokens(
                    accessToken: tokens.accessToken?.secret, idToken: idToken.secret,
                    refreshToken: tokens.refreshToken?.secret, oauthTokenSecret: nil, expiresIn: tokens.expiresIn,
                    scope: tokens.scope))
        }
    }

    /// Verifies an ID token that an application obtained itself.
    ///
    /// - Parameters:
    ///   - idToken: The ID token.
    ///   - accessToken: Used only for the profile, and only if the ID token contains its hash (`at_hash`).
    ///   - openIDConnect: The provider's keys and this server's clients at that provider.
    ///   - provider: The provider.
    ///   - nonce: The nonce of the authorization request.
    /// - Returns: The identity of the ID token.
    /// - Throws: `JOSEError`, `Refusal`, `ProviderFailure` or `DocumentError`.
    package func verify(
        _ idToken: UnverifiedIDToken, accessToken: AccessToken?, with openIDConnect: OpenIDConnect,
        of provider: Provider, nonce: ExpectedNonce
    ) async throws -> VerifiedIdentity {
        let (claims, record) = try await evidence(
            idToken, .posted, with: openIDConnect,
            audiences: [openIDConnect.clientID] + openIDConnect.furtherClientIDs,
            maximumAge: openIDConnect.maximumAge, nonce: nonce, maximumAuthenticationAge: nil)
        if let accessToken {
            try AccessTokenHash.check(claims, accessToken: accessToken.secret.secretText)
        }
        let records = [record] + [nonce.record].compactMap(\.self)
        guard let subject = claims.subject else { throw JOSEError.missingClaim("sub") }
        // If the profile is fetched next, the account could be deleted meanwhile: it is not looked up here.
        let found = accessToken == nil ? ExternalIdentity(provider: provider.id, subject: subject) : nil
        let known = try await spend(records, finding: found)
        return try identity(
            claims, accessToken: accessToken, with: openIDConnect, of: provider, proof: .idTokenAudience,
            returnable: records, known: known,
            tokens: ReturnedTokens(
                accessToken: accessToken?.secret, idToken: idToken.secret, refreshToken: nil, oauthTokenSecret: nil,
                expiresIn: nil, scope: nil))
    }

    /// The source of an ID token.
    private enum Origin {
        /// The provider issued it for a code, which it does not accept again.
        ///
        /// If the same token is posted later, and the store has lost its record, its time of issue is checked then.
        case redeemed
        /// An application sent it.
        case posted
    }

    /// Checks every rule of OpenID Connect Core §3.1.3.7, and makes the record that spends the token.
    private func evidence(
        _ idToken: UnverifiedIDToken, _ origin: Origin, with openIDConnect: OpenIDConnect, audiences: [String],
        maximumAge: Duration?, nonce: ExpectedNonce, maximumAuthenticationAge: Duration?
    ) async throws -> (Claims, SpentRecord) {
        let jws = try CompactJWS.parse(idToken.secret.secretText)
        let issuers = try await openIDConnect.endpoints().issuers
        let claims = try await signed(jws, with: openIDConnect)
        let expectation = ClaimsExpectation(
            issuers: issuers, audiences: audiences, nonce: .oneOf(nonce.values), maximumAge: maximumAge,
            maximumLifetime: openIDConnect.maximumLifetime, clockSkew: openIDConnect.clockSkew,
            maximumAuthenticationAge: maximumAuthenticationAge)
        try expectation.check(claims, at: time.now())
        // The record is of the signing input, not of the whole token: an ECDSA signature can be rewritten and still
        // verify. The record is kept for longer than the token is accepted.
        let record = SpentRecord(
            .idToken, of: [jws.signingInput], issuedAt: origin == .posted ? claims.issuedAt ?? NumericDate(.min) : nil,
            expiresAt: (claims.expiry ?? time.now()) + openIDConnect.clockSkew + .seconds(60))
        return (claims, record)
    }

    func signed(_ jws: CompactJWS, with openIDConnect: OpenIDConnect) async throws -> Claims {
        let algorithms = openIDConnect.algorithms
        let keys = try await openIDConnect.keys.value()
        do {
            return try JWSVerifier.verify(jws, keys: keys, algorithms: algorithms)
        } catch .unknownKey {
            // The provider may have rotated its keys since they were fetched.
            let newer = try await openIDConnect.keys.refreshed { keys in
                (try? JWSVerifier.verify(jws, keys: keys, algorithms: algorithms)) != nil
            }
            return try JWSVerifier.verify(jws, keys: newer, algorithms: algorithms)
        }
    }

    private func identity(
        _ claims: Claims, accessToken: AccessToken?, with openIDConnect: OpenIDConnect, of provider: Provider,
        proof: AudienceProof, returnable: [SpentRecord], known: KnownIdentity? = nil, tokens: ReturnedTokens
    ) throws -> VerifiedIdentity {
        guard let subject = claims.subject else { throw JOSEError.missingClaim("sub") }
        let state = accessToken.map { token in
            ProfileState.unfetched(ProfileCall(provider: provider, source: .userInfo(token, openIDConnect)))
        }
        return VerifiedIdentity(
            provider: provider.id, subject: subject,
            profile: ProfileMapping.openIDConnect.profile(in: claims.json, trusting: provider.emailTrust),
            profileState: state ?? .whole, profileRefusal: nil, audienceProof: proof,
            authenticatedAt: claims.authenticatedAt, tokens: tokens,
            answer: ProviderAnswer(idToken: claims.json), returnable: returnable,
            known: known)
    }
}

/// The expected `nonce` of an ID token.
package struct ExpectedNonce: Sendable {
    /// Spellings of one value, of which the token has to contain one.
    package let values: [String]
    /// The record that is spent together with the token.
    ///
    /// It is `nil` if the application chose the nonce, and if the nonce belongs to a flow, which is spent instead.
    package let record: SpentRecord?

    package init(values: [String], record: SpentRecord? = nil) {
        self.values = values
        self.record = record
    }
}
