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
    ///   - openIDConnect: The provider's keys and this server's client at that provider.
    ///   - nonce: The nonce of the authorization request. Without it, a stolen code could be injected at a provider
    ///     that ignores PKCE (RFC 9700 §4.5).
    ///   - maximumAuthenticationAge: The `max_age` of the authorization request; `nil` if it had none.
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
            let profile = openIDConnect.mapping.profile(in: claims.json, trusting: provider.emailTrust)
            let isUnasked =
                tokens.accessToken == nil && profile.email == nil && openIDConnect.scopes.contains("email")
                && openIDConnect.namesPersonInUserInfo
            let unasked = try await isUnasked ? openIDConnect.endpoints().userInfo : nil
            try await spend([record] + [nonce.record].compactMap(\.self))
            return try identity(
                claims, accessToken: tokens.accessToken, with: openIDConnect, of: provider,
                proof: .authorizationCode, returnable: [],
                deviation: tokens.deviation ?? unasked.map { _ in ProviderFailure.noAccessToken },
                tokens: ReturnedTokens(
                    accessToken: tokens.accessToken?.secret, idToken: idToken.secret,
                    refreshToken: tokens.refreshToken?.secret, oauthTokenSecret: nil, expiresIn: tokens.expiresIn,
                    scope: tokens.scope))
        }
    }

    /// Verifies an ID token that an application obtained itself.
    ///
    /// - Parameters:
    ///   - accessToken: Used only for the profile, and only if the ID token contains its hash (`at_hash`).
    ///   - openIDConnect: The provider's keys and this server's clients at that provider.
    ///   - nonce: The nonce of the authorization request.
    /// - Throws: `JOSEError`, ``ClaimsMismatch``, `Refusal`, `ProviderFailure`, `DocumentError` or `StoreError`.
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
        let subject = try openIDConnect.requiredSubject(of: claims)
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
    enum Origin {
        /// The provider issued it for a code, which it does not accept again, or for a refresh token of this server.
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
        let jws = try CompactJWS.parse(
            idToken.secret.secretText,
            maximumBytes: origin == .posted ? CompactJWS.maximumBytes : CompactJWS.maximumDirectBytes)
        let claims = try await signed(jws, with: openIDConnect)
        let expectation = ClaimsExpectation(
            issuers: try await issuers(of: claims, with: openIDConnect), audiences: audiences,
            trustedAudiences: openIDConnect.furtherClientIDs + openIDConnect.trustedAudiences,
            authorizedParties: [openIDConnect.clientID] + openIDConnect.furtherClientIDs,
            nonce: nonce.isUnchecked && origin == .posted ? .uncheckedBecauseProviderSendsNone : .oneOf(nonce.values),
            maximumAge: maximumAge, maximumLifetime: openIDConnect.maximumLifetime, clockSkew: openIDConnect.clockSkew,
            maximumAuthenticationAge: maximumAuthenticationAge)
        try check(claims, expectation, from: origin)
        // The record is of the signing input, not of the whole token: an ECDSA signature can be rewritten and still
        // verify. The record is kept for longer than the token is accepted.
        let record = SpentRecord(
            .idToken, of: [jws.signingInput], issuedAt: origin == .posted ? claims.issuedAt ?? NumericDate(.min) : nil,
            expiresAt: (claims.expiry ?? time.now()) + openIDConnect.clockSkew + .seconds(60))
        return (claims, record)
    }

    /// Returns the accepted issuers, and tells the operator if the tenant of the token is not accepted.
    func issuers(of claims: Claims, with openIDConnect: OpenIDConnect) async throws -> [String] {
        do {
            return try await openIDConnect.issuers(of: claims)
        } catch let error as JOSEError {
            throw ClaimsMismatch(otherTenant: error, claims)
        }
    }

    /// Checks the claims of a signed ID token, and tells the operator what the token names instead.
    func check(_ claims: Claims, _ expectation: ClaimsExpectation, from origin: Origin) throws {
        // A logout token has issuer, audience, subject and key of an ID token. RFC 8417 §4.5: an ID token has no events.
        guard claims["events"] == nil else { throw JOSEError.forbiddenClaim("events") }
        try checked(claims, expectation, from: origin) { () throws(JOSEError) in
            try expectation.check(claims, at: time.now())
        }
    }

    /// Runs a check of the claims of a signed token, and tells the operator what the token names instead.
    func checked(
        _ claims: Claims, _ expectation: ClaimsExpectation, from origin: Origin, by check: () throws(JOSEError) -> Void
    ) throws {
        do {
            try check()
        } catch {
            throw ClaimsMismatch(error, claims, expectation, from: origin) ?? error
        }
    }

    /// Verifies the signature of a token of a provider.
    ///
    /// - Parameters:
    ///   - openIDConnect: The provider's algorithms and keys.
    ///   - keys: The keys, if they are not those of ID tokens.
    ///   - issuers: The issuers, if they are not those of ID tokens.
    /// - Returns: The claims, which are not checked yet.
    /// - Throws: `JOSEError`, ``ClaimsMismatch`` or `DocumentError`.
    func signed(
        _ jws: CompactJWS, with openIDConnect: OpenIDConnect, keys: CachedDocument<JWKSet>? = nil,
        issuers: [String]? = nil, type: TokenType = .jwt
    ) async throws -> Claims {
        let endpoints = try await openIDConnect.endpoints()
        do {
            return try await verified(
                jws, with: openIDConnect, at: endpoints, keys: keys ?? openIDConnect.keys, type: type)
        } catch {
            throw ClaimsMismatch(error, of: jws, notFrom: issuers ?? endpoints.issuers, at: openIDConnect) ?? error
        }
    }

    private func verified(
        _ jws: CompactJWS, with openIDConnect: OpenIDConnect, at endpoints: OpenIDConnectEndpoints,
        keys document: CachedDocument<JWKSet>, type: TokenType
    ) async throws -> Claims {
        let named = endpoints.algorithms
        let algorithms = named.map(openIDConnect.algorithms.intersection) ?? openIDConnect.algorithms
        guard Algorithm(exactly: jws.header.algorithm).map(algorithms.contains) == true else {
            throw ClaimsMismatch(otherAlgorithm: jws.header.algorithm, named: named)
        }
        let known = try await document.value()
        // Microsoft's set for all tenants also has keys of one tenant, which must not sign for another one.
        let verify = { @Sendable (keys: JWKSet) throws(JOSEError) -> Claims in
            try JWSVerifier.verify(
                jws, keys: keys, algorithms: algorithms, type: type,
                tenantPlaceholder: openIDConnect.tenants == nil ? nil : Tenants.placeholder)
        }
        do throws(JOSEError) {
            return try verify(known)
        } catch {
            // The provider may have rotated its keys since they were fetched. Without `kid`, only the signature tells. A
            // provider that was installed anew has another key under the same `kid`.
            if error == .signatureInvalid, let keyID = jws.header.keyID {
                let isSame = { @Sendable (keys: JWKSet) in keys.hasSameKeys(as: known, under: keyID) }
                guard let newer = try? await document.refreshed(unless: { !isSame($0) }), !isSame(newer) else {
                    throw error
                }
                return try verify(newer)
            }
            guard error != .keyForOtherAlgorithm else {
                throw ClaimsMismatch(keyOfOtherAlgorithm: jws.header, in: known)
            }
            guard error == .unknownKey || error == .signatureInvalid else { throw error }
            let newer = try await document.refreshed { keys in (try? verify(keys)) != nil }
            return try ClaimsMismatch.naming(
                jws.header, in: newer, at: endpoints, of: openIDConnect.clientID
            ) { () throws(JOSEError) in try verify(newer) }
        }
    }

    private func identity(
        _ claims: Claims, accessToken: AccessToken?, with openIDConnect: OpenIDConnect, of provider: Provider,
        proof: AudienceProof, returnable: [SpentRecord], known: KnownIdentity? = nil, deviation: ProviderFailure? = nil,
        tokens: ReturnedTokens
    ) throws -> VerifiedIdentity {
        let subject = try openIDConnect.requiredSubject(of: claims)
        let state = accessToken.map { token in
            ProfileState.unfetched(ProfileCall(provider: provider, source: .userInfo(token, openIDConnect)))
        }
        let mapping = openIDConnect.mapping
        return VerifiedIdentity(
            provider: provider.id, subject: subject,
            profile: mapping.profile(in: claims.json, trusting: provider.emailTrust),
            profileState: state ?? .whole,
            profileRefusal: mapping.unusableParts(in: claims.json, trusting: provider.emailTrust) ?? deviation,
            audienceProof: proof,
            authenticatedAt: claims.authenticatedAt, tokens: tokens,
            answer: ProviderAnswer(idToken: claims.json), returnable: returnable,
            known: known)
    }
}

/// The expected `nonce` of an ID token.
package struct ExpectedNonce: Sendable {
    /// The nonce of a posted ID token of a provider whose ``NonceRule`` is `none`, if the application sends none.
    package static let unchecked = ExpectedNonce(isUnchecked: true, values: [], record: nil)

    fileprivate let isUnchecked: Bool
    /// Spellings of one value, of which the token has to contain one.
    package let values: [String]
    /// The record that is spent together with the token.
    ///
    /// It is `nil` if the application chose the nonce, and if the nonce belongs to a flow, which is spent instead.
    package let record: SpentRecord?

    package init(values: [String], record: SpentRecord? = nil) {
        self.init(isUnchecked: false, values: values, record: record)
    }

    private init(isUnchecked: Bool, values: [String], record: SpentRecord?) {
        self.isUnchecked = isUnchecked
        self.values = values
        self.record = record
    }
}
