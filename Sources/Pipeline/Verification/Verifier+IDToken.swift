package import Exchange
package import JOSE
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

/// The refusal of a token that a change of the configuration, or at the provider, would accept, and the values that the token has.
///
/// The provider signed the values of claims. Nevertheless an attacker can send a token that the provider issued to his own
/// application: the advice always names that possibility.
package struct ClaimsMismatch: RefusalCause, AdvisingCause, Equatable {
    package let error: JOSEError
    package let advice: String?

    /// Returns `nil` if no change would make the claims acceptable.
    init?(_ error: JOSEError, _ claims: Claims, _ expectation: ClaimsExpectation, from origin: Verifier.Origin) {
        self.error = error
        switch error {
        case .issuerMismatch: advice = Self.advice(onIssuerOf: claims, namesTenant: claims["tid"] != nil)
        case .audienceMismatch(let expected) where Self.isWithinText(of: claims["aud"], anyOf: expected):
            advice =
                "The client id is only a part of a text in aud, which is \(Self.shown(claims["aud"])). If that text stands for "
                + "several audiences, the provider has to send them as a list of texts (RFC 7519 section 4.1.3); those that it adds "
                + "beside the client id then belong in trusted_audiences. Otherwise the token is not for this client."
        // A code is redeemed by the client of client_id only, so that no further client id is accepted then.
        case .audienceMismatch where origin == .redeemed:
            advice =
                "The token names the audience \(Self.shown(claims["aud"])), and OpenID Connect Core section 2 demands client_id. If "
                + "the provider shows that text as the id of this very client, write it as client_id; client_ids is only for tokens "
                + "that applications send. If it is an API, leave audience and resource out of parameters and allowed_parameters, or "
                + "correct the audience of ID tokens in the provider's settings of this client. Otherwise the provider accepts codes "
                + "of other applications."
        case .audienceMismatch, .severalAudiences, .authorizedPartyMismatch:
            let party = claims["azp"].map { " and the authorized party (azp) \(Self.shown($0))" } ?? ""
            advice =
                "The token names the audience \(Self.shown(claims["aud"]))\(party). Add to client_ids only a client id of your own "
                + "application, and to trusted_audiences only what the provider adds beside one, such as the id of a project. "
                + "Otherwise the token was issued to another application."
        case .nonceMismatch:
            switch expectation.nonceDifference(of: claims) {
            case .spelling?:
                advice =
                    "The two differ only in how they are written: in upper and lower case, in = at the end, or because + was "
                    + "not sent as %2B in a URL or a form, and arrived as a blank."
            case .tokenHasValue?:
                advice =
                    "The token has a value of which it must have the SHA-256: the application has to send the provider the nonce of "
                    + "POST /v1/nonce, or with nonce: client the hash of its own value."
            case .tokenHasHash?:
                advice =
                    "The token has the SHA-256 of the expected nonce, because the application or its SDK has hashed it. In place of "
                    + "nonce: client_plain write nonce: client; otherwise the provider has to get the nonce itself."
            case nil: return nil
            }
        // The year 5138 in seconds, and 1973 in milliseconds.
        case .issuedInFuture(let time, _) where time.seconds > 100_000_000_000,
            .notYetValid(let time, _) where time.seconds > 100_000_000_000:
            advice = Self.milliseconds
        case .lifetimeTooLong where claims.expiry.map { $0.seconds > 100_000_000_000 } ?? false:
            advice = Self.milliseconds
        case .malformedClaim(let name):
            guard let form = Self.form(of: name), let value = claims[name] else { return nil }
            let found =
                switch value {
                case .null: "twice, or as a text that cannot be read"
                case .string where name == "sub": "as \(ProfileMapping.SubjectForm.text.objection(to: value))"
                case .array(let elements) where elements.isEmpty: "as an empty list"
                default: "as \(value.typeName)"
                }
            advice =
                "The token has \(name) \(found), and must have it as \(form) that RFC 7519 and OpenID Connect Core section 2 allow: "
                + "the provider has to correct it."
        case .missingClaim("nonce"):
            advice =
                "The provider does not return the nonce of the authorization request (OpenID Connect Core section 3.1.2.1), or the "
                + "application that made the request sent none. "
                + (ProviderTemplate.withoutOpenIDConnect(atHostOf: claims["iss"]?.string).map {
                    "The built-in provider \($0) needs no ID tokens: write a section with this id, and no issuer."
                } ?? "A provider that never returns it needs protocol: oauth2, with its endpoints and members.")
                + " If only the SDK of an application sends none, write nonce: none with max_age: 2m, and clock_skew of at most 60s."
        case .missingClaim(let name) where Self.form(of: name) != nil:
            advice =
                "A token without \(name) is not accepted here. If an application sent it, it may be another token than the expected one, "
                + "such as an access token; otherwise the provider has to add \(name)."
        default: return nil
        }
    }

    /// The refusal of a token whose tenant is not one of `tenants` in the configuration.
    init(otherTenant error: JOSEError, _ claims: Claims) {
        self.error = error
        advice = Self.advice(onIssuerOf: claims, namesTenant: true)
    }

    /// The refusal of a signed response of the userinfo endpoint, which has another `iss` or `aud`, or none.
    init(inUserInfo error: JOSEError, _ name: String, of claims: Claims, expected: [String]) {
        self.error = error
        let found = claims[name].map { "the \(name) \(Self.shown($0))" } ?? "no \(name)"
        advice =
            "The JWT has \(found), and OpenID Connect Core section 5.3.2 demands \(expected.joined(separator: " or ")): the provider "
            + "has to correct it, or to send userinfo without a signature, if it has a setting for that."
    }

    private static func advice(onIssuerOf claims: Claims, namesTenant: Bool) -> String {
        let issuer = shown(claims["iss"])
        let tenant =
            " and the tenant (tid) \(shown(claims["tid"])). If the section has tenants, and the issuer in the provider's metadata has no "
            + "{tenantid}, leave tenants out. If it has, the two have to name the same tenant: if they do, add it to tenants only if its "
            + "people may sign in; otherwise the provider has to correct the token. "
        return "The token names the issuer \(issuer)" + (namesTenant ? tenant : ". ")
            + (IssuerSpelling.objection(to: issuer)
                ?? "If the provider's documentation has it for your own registration, and its metadata, if there are any, name it as "
                + "well, write it in place of the configured one, as issuer or endpoints.issuer. If its metadata name the configured "
                + "one, its metadata and its tokens differ: if its documentation has both for your own registration, write both below "
                + "endpoints.issuer, the configured one first, and keep issuer; otherwise the provider has to correct one of them. In "
                + "all other cases the token is of another tenant, provider or application.")
    }

    /// Whether a text in `aud` contains an expected audience beside something else, such as other audiences with commas
    /// between.
    private static func isWithinText(of audience: JSON?, anyOf expected: [String]) -> Bool {
        let texts = audience?.array?.compactMap(\.string) ?? [audience?.string].compactMap(\.self)
        return texts.contains { text in
            text.split { $0.isWhitespace || ",;|[]\"'".contains($0) }.contains { part in
                expected.contains { part.exactlyEquals($0) }
            }
        }
    }

    /// The refusal of a token whose signature is not verified, and which does not name an issuer of the section.
    ///
    /// Anyone can post such a token, so that its issuer is compared and not shown. Returns `nil` if another rule refuses the
    /// token, and if it names an issuer of the section.
    fileprivate init?(
        _ failure: any Error, of jws: CompactJWS, notFrom issuers: [String], at openIDConnect: OpenIDConnect
    ) {
        let mismatch = failure as? ClaimsMismatch
        guard let error = failure as? JOSEError ?? mismatch?.error, let token = try? UnverifiedClaims(of: jws) else {
            return nil
        }
        switch error {
        case .unknownKey, .keyForOtherAlgorithm, .signatureInvalid, .algorithmNotAllowed: break
        default: return nil
        }
        if let issuer = token.json["iss"]?.string, openIDConnect.accepts(issuer: issuer, of: issuers) { return nil }
        let names = issuers.map { $0.contains(Tenants.placeholder) ? "\($0) of an accepted tenant" : $0 }
        let further = (mismatch?.advice ?? error.advice).map { " If this provider sent it: \($0)" }
        self.error = error
        advice =
            "iss of the token, whose signature is not verified, is not \(names.joined(separator: " or ")). If an application sent "
            + "the token, it has to name the section of the provider that issued it, or to send a token of this provider; a Firebase "
            + "ID token is no token of a provider.\(further ?? "")"
    }

    /// The refusal of an algorithm that this deployment does not accept from the provider.
    ///
    /// - Parameters:
    ///   - algorithm: The header's `alg`.
    ///   - named: The supported ones of the algorithms in the provider's metadata; `nil` if it names none.
    package init(otherAlgorithm algorithm: String, named: Set<Algorithm>?) {
        error = .algorithmNotAllowed
        guard !["HS256", "HS384", "HS512"].contains(algorithm) else {
            advice =
                "The token is signed with \(algorithm), that is with the client secret, by which everyone who can verify a token can "
                + "also make one. Choose RS256, ES256 or another asymmetric algorithm for the ID tokens of this client in the provider's "
                + "settings. If it has none, and token-exchange providers lists the provider, write its section without issuer."
            return
        }
        guard let algorithm = Algorithm(exactly: algorithm), let named, !named.contains(algorithm) else {
            let supported = Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
            advice = "Choose one of \(supported) for the ID tokens of this client in the provider's settings."
            return
        }
        let names =
            named.isEmpty ? "none that is supported" : "only " + named.map(\.rawValue).sorted().joined(separator: ", ")
        advice =
            "The token is signed with \(algorithm.rawValue), and id_token_signing_alg_values_supported in the provider's metadata "
            + "names \(names). Choose an algorithm that it names for the ID tokens of this client in the provider's settings, or "
            + "let the provider correct its metadata."
    }

    /// Verifies a token, and names its key if the provider does not publish it.
    fileprivate static func naming(
        _ header: JWSHeader, in keys: JWKSet, at endpoints: OpenIDConnectEndpoints, of clientID: String,
        _ verify: () throws(JOSEError) -> Claims
    ) throws -> Claims {
        do throws(JOSEError) {
            return try verify()
        } catch {
            switch error {
            case .unknownKey:
                let address = applicationKeys(at: endpoints, of: clientID)
                throw ClaimsMismatch(unknownKey: header.keyID, to: keys, applicationKeys: address)
            case .keyForOtherAlgorithm: throw ClaimsMismatch(keyOfOtherAlgorithm: header, in: keys)
            default: throw error
            }
        }
    }

    /// The refusal of a token whose `kid` is that of a key for another algorithm.
    fileprivate init(keyOfOtherAlgorithm header: JWSHeader, in keys: JWKSet) {
        error = .keyForOtherAlgorithm
        // Verification has compared it with the algorithms of this program, so that it is no other text.
        let algorithm = Algorithm(exactly: header.algorithm)?.rawValue ?? "another algorithm"
        let named = Set(keys.keys.filter { $0.id == header.keyID }.flatMap(\.algorithms)).map(\.rawValue).sorted()
        advice =
            "The token is signed with \(algorithm), and the key with its kid is only for \(named.joined(separator: ", ")) (kty and alg in "
            + "the provider's key set). Choose \(named.count == 1 ? named[0] : "one of these") as the algorithm of ID tokens for this "
            + "client in the provider's settings, or let the provider publish the key for \(algorithm) under this kid."
    }

    /// The refusal of a token whose key the provider does not publish.
    ///
    /// - Parameter applicationKeys: The address of the keys of one application; `nil` if the provider has none.
    private init(unknownKey keyID: KeyID?, to keys: JWKSet, applicationKeys: String?) {
        error = .unknownKey
        if let keyID, let key = keys.refused.first(where: { $0.id == keyID }) {
            advice =
                "The provider's key set has the key with the kid of the token, and it cannot be used, because "
                + "\(key.reason.sentence): the provider has to publish a usable key under this kid, or to sign its tokens for this "
                + "client with another key."
            return
        }
        let first = keys.keys.prefix(8)
        let published = first.map { $0.id.map { Self.shown(.string($0.text)) } ?? "one without kid" }
        let none = keys.refused.isEmpty ? "an empty key set" : "no usable key"
        var found = "no kid"
        if let keyID {
            let beginning = Self.beginning(of: keyID, like: first.compactMap(\.id))
            found = "a kid that begins with \(beginning) (length \(keyID.text.count))"
        }
        let own =
            applicationKeys.map {
                " If the application has signing keys of its own there (claims mapping), write \($0) as endpoints.jwks."
            } ?? ""
        advice =
            "The token has \(found), and the provider publishes "
            + "\(published.isEmpty ? none : published.joined(separator: ", ")). Compare endpoints.jwks, or jwks_uri in the provider's "
            + "metadata, with its documentation; token-exchange doctor tells which keys are not usable. If they are right, the "
            + "provider has to publish the key that it signs with under the kid of its tokens, or it has changed its keys again "
            + "within half a minute, in which they are not fetched twice."
            + own
    }

    /// The address of the keys of one application; `nil` if the provider has none, and if its address of keys has a query already.
    private static func applicationKeys(at endpoints: OpenIDConnectEndpoints, of clientID: String) -> String? {
        guard !endpoints.jwks.contains("?") else { return nil }
        let name = endpoints.issuers.compactMap(ProviderTemplate.applicationKeysParameter(atHostOf:)).first
        return name.map { "\(endpoints.jwks)?\($0)=\(clientID)" }
    }

    /// The part of a kid that is shown: what it has in common with a published one, and after that at most eight letters, digits,
    /// hyphens, dots and underscores, because anyone can post a token.
    private static func beginning(of keyID: KeyID, like published: [KeyID]) -> String {
        let scalars = Array(keyID.text.unicodeScalars)
        let lengths = published.map { id in
            zip(scalars, id.text.unicodeScalars).prefix(while: { pair in pair.0 == pair.1 }).count
        }
        let common = lengths.max() ?? 0
        let next = scalars[common...].prefix(8).map { Character($0) }
            .filter { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
        let shared = String(String.UnicodeScalarView(scalars[..<common]))
        return shown(.string(shared)) + String(next)
    }

    /// The form that a claim must have; `nil` for a claim of which no rule needs more than its absence.
    private static func form(of claim: String) -> String? {
        switch claim {
        case "iss", "azp", "nonce", "at_hash": "a text"
        case "sub": "a text of 1 to 255 octets"
        case "aud": "a text, or a list of texts"
        case "exp", "iat", "nbf": "a number of seconds"
        default: nil
        }
    }

    private static let milliseconds =
        "The token counts iat, exp or nbf in milliseconds, and RFC 7519 in seconds: the provider has to correct it."

    package var refusal: Refusal {
        let refusal = error.refusal
        return Refusal(refusal.reason, refusal.description, finding: refusal.finding, cause: self)
    }

    /// The claim as a message may contain it: visible ASCII, at most 300 characters.
    static func shown(_ claim: JSON?) -> String {
        let texts = claim?.array.map { $0.map { $0.string ?? "?" } } ?? [claim?.string ?? "none"]
        let text = texts.joined(separator: ", ").unicodeScalars.prefix(300)
        return String(String.UnicodeScalarView(text.map { (0x20..<0x7F).contains($0.value) ? $0 : "?" }))
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
