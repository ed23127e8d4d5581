internal import Documents
package import Exchange
internal import JOSE
internal import Jansson
package import OAuth
package import Providers
package import Stores

extension Verifier {
    /// Who the ID token of a code that we redeemed speaks about.
    ///
    /// - `nonce`: what we, or the application, sent in the authorization request. The code alone is not
    /// enough: at a provider that ignores PKCE a stolen one could be injected (RFC 9700 §4.5).
    package func verify(
        _ tokens: ProviderTokens, with openIDConnect: OpenIDConnect, of provider: Provider, nonce: ExpectedNonce,
        maximumAuthenticationAge: Duration?
    ) async throws(VerificationError) -> VerifiedIdentity {
        guard let idToken = tokens.idToken else { throw .provider(.malformedResponse("id_token"), givenBack: false) }
        // The code was issued to the client id that we redeemed it with: no further one counts here, and the token
        // comes straight from the endpoint, so that no age is asked of it beyond its own expiry.
        let (claims, record): (Claims, SpentRecord)
        do {
            (claims, record) = try await evidence(
                idToken, .redeemed, with: openIDConnect, audiences: [openIDConnect.clientID], maximumAge: nil,
                nonce: nonce, maximumAuthenticationAge: maximumAuthenticationAge)
        } catch .provider(let failure, _) {
            // The code is spent at the provider, whatever was missing afterwards.
            throw .provider(failure, givenBack: false)
        }
        if let accessToken = tokens.accessToken, claims["at_hash"] != nil {
            try check(accessToken, against: claims)
        }
        do {
            try await spend([record] + [nonce.record].compactMap(\.self))
        } catch .store(let failure, _) {
            // The provider has spent the code.
            throw .store(failure, givenBack: false)
        }
        return try identity(
            claims, accessToken: tokens.accessToken, with: openIDConnect, of: provider,
            proof: .authorizationCode, returnable: [],
            tokens: ReturnedTokens(
                accessToken: tokens.accessToken?.secret, idToken: idToken.secret,
                refreshToken: tokens.refreshToken?.secret, oauthTokenSecret: nil, expiresIn: tokens.expiresIn,
                scope: tokens.scope))
    }

    /// Who an ID token speaks about that an application obtained by itself.
    ///
    /// - `accessToken`: used for the profile alone, and only when the ID token vouches for it (`at_hash`).
    package func verify(
        _ idToken: UnverifiedIDToken, accessToken: AccessToken?, with openIDConnect: OpenIDConnect,
        of provider: Provider, nonce: ExpectedNonce
    ) async throws(VerificationError) -> VerifiedIdentity {
        let (claims, record) = try await evidence(
            idToken, .posted, with: openIDConnect,
            audiences: [openIDConnect.clientID] + openIDConnect.furtherClientIDs,
            maximumAge: openIDConnect.maximumAge, nonce: nonce, maximumAuthenticationAge: nil)
        if let accessToken {
            try check(accessToken, against: claims)
        }
        let records = [record] + [nonce.record].compactMap(\.self)
        guard let subject = claims.subject else { throw .idToken(.missingClaim("sub")) }
        // A profile that is fetched first takes its time, and an account can go meanwhile.
        let found = accessToken == nil ? ExternalIdentity(provider: provider.id.text, subject: subject) : nil
        let known = try await spend(records, finding: found)
        return try identity(
            claims, accessToken: accessToken, with: openIDConnect, of: provider, proof: .idTokenAudience,
            returnable: records, known: known,
            tokens: ReturnedTokens(
                accessToken: accessToken?.secret, idToken: idToken.secret, refreshToken: nil, oauthTokenSecret: nil,
                expiresIn: nil, scope: nil))
    }

    /// How an ID token came here.
    private enum Origin {
        /// The provider gave it for a code, which it does not take a second time.
        ///
        /// If this token is posted later to a store that has lost its record, its time of issue counts then.
        case redeemed
        case posted
    }

    /// Every rule of OpenID Connect Core §3.1.3.7, and the record under which the token is remembered.
    private func evidence(
        _ idToken: UnverifiedIDToken, _ origin: Origin, with openIDConnect: OpenIDConnect, audiences: [String],
        maximumAge: Duration?, nonce: ExpectedNonce, maximumAuthenticationAge: Duration?
    ) async throws(VerificationError) -> (Claims, SpentRecord) {
        let jws: CompactJWS
        do {
            jws = try CompactJWS.parse(idToken.secret.secretText)
        } catch {
            throw .idToken(error)
        }
        let issuers: [String]
        do {
            issuers = try await openIDConnect.endpoints().issuers
        } catch {
            throw .provider(.document(error), givenBack: true)
        }
        let claims = try await signed(jws, with: openIDConnect)
        let expectation = ClaimsExpectation(
            issuers: issuers, audiences: audiences, nonce: .oneOf(nonce.values), maximumAge: maximumAge,
            maximumLifetime: openIDConnect.maximumLifetime, clockSkew: openIDConnect.clockSkew,
            maximumAuthenticationAge: maximumAuthenticationAge)
        do {
            try expectation.check(claims, at: time.now())
        } catch {
            throw .idToken(error)
        }
        // Remembered by what is signed, not by its text: an ECDSA signature can be rewritten and still verify. The
        // record outlives the token and the skew that it was allowed.
        let record = SpentRecord(
            .idToken, of: [jws.signingInput], issuedAt: origin == .posted ? claims.issuedAt ?? NumericDate(.min) : nil,
            expiresAt: (claims.expiry ?? time.now()) + openIDConnect.clockSkew + .seconds(60))
        return (claims, record)
    }

    private func signed(
        _ jws: CompactJWS, with openIDConnect: OpenIDConnect
    ) async throws(VerificationError) -> Claims {
        let algorithms = openIDConnect.algorithms
        do {
            let keys = try await openIDConnect.keys.value()
            do {
                return try JWSVerifier.verify(jws, keys: keys, algorithms: algorithms)
            } catch JOSEError.unknownKey {
                // A provider may have rotated its keys a moment ago.
                let newer = try await openIDConnect.keys.refreshed { keys in
                    (try? JWSVerifier.verify(jws, keys: keys, algorithms: algorithms)) != nil
                }
                return try JWSVerifier.verify(jws, keys: newer, algorithms: algorithms)
            }
        } catch let error as JOSEError {
            throw .idToken(error)
        } catch let error as DocumentError {
            throw .provider(.document(error), givenBack: true)
        } catch {
            throw .idToken(.unknownKey)
        }
    }

    private func check(_ accessToken: AccessToken, against claims: Claims) throws(VerificationError) {
        do {
            try AccessTokenHash.check(claims, accessToken: accessToken.secret.secretText)
        } catch {
            throw .idToken(error)
        }
    }

    private func identity(
        _ claims: Claims, accessToken: AccessToken?, with openIDConnect: OpenIDConnect, of provider: Provider,
        proof: AudienceProof, returnable: [SpentRecord], known: KnownIdentity? = nil, tokens: ReturnedTokens
    ) throws(VerificationError) -> VerifiedIdentity {
        guard let subject = claims.subject else { throw .idToken(.missingClaim("sub")) }
        let state = accessToken.map { token in
            ProfileState.unfetched(ProfileCall(provider: provider, source: .userInfo(token, openIDConnect)))
        }
        return VerifiedIdentity(
            provider: provider.id, subject: subject,
            profile: ProfileMapping.openIDConnect.profile(in: claims.json, trusting: provider.emailTrust),
            profileState: state ?? .whole, profileRefusal: nil, audienceProof: proof,
            authenticatedAt: claims.authenticatedAt, tokens: tokens, returnable: returnable,
            known: known)
    }
}

/// What the `nonce` of an ID token must be.
package struct ExpectedNonce: Sendable {
    /// Spellings of one value; the token holds one of them.
    package let values: [String]
    /// Spent together with the token, where the nonce is ours and good for once.
    package let record: SpentRecord?

    package init(values: [String], record: SpentRecord? = nil) {
        self.values = values
        self.record = record
    }
}
