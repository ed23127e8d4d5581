internal import Jansson
internal import OpenSSL

/// The values that the claims of a token must have.
///
/// All of them come from the caller, and none from the token.
package struct ClaimsExpectation: Sendable {
    package let issuers: [String]
    /// The audiences of this deployment, of which the token has to name one.
    package let audiences: [String]
    /// Further audiences that a token may name beside one of ``audiences``.
    package let trustedAudiences: [String]
    /// The values that `azp` may have.
    package let authorizedParties: [String]
    package let nonce: NonceExpectation
    package let times: TimeExpectation
    /// The maximum time since the person authenticated; `nil` disables the check.
    ///
    /// If it is set, a token without `auth_time` is refused.
    package let maximumAuthenticationAge: Duration?
    package let subjectLimit: SubjectLimit

    /// Traps if an issuer, an audience or a nonce is missing or empty: that is a programming error, not a bad token.
    package init(
        issuers: [String], audiences: [String], trustedAudiences: [String] = [], authorizedParties: [String]? = nil,
        nonce: NonceExpectation, maximumAge: Duration?,
        maximumLifetime: Duration, clockSkew: Duration, maximumAuthenticationAge: Duration? = nil,
        subjectLimit: SubjectLimit = .openIDConnect
    ) {
        precondition(!issuers.isEmpty && !issuers.contains(""), "An issuer is expected.")
        precondition(!audiences.isEmpty && !audiences.contains(""), "An audience is expected.")
        if case .oneOf(let nonces) = nonce {
            precondition(!nonces.isEmpty && !nonces.contains(""), "A nonce is expected.")
        }
        self.issuers = issuers
        self.audiences = audiences
        self.trustedAudiences = trustedAudiences
        self.authorizedParties = authorizedParties ?? audiences
        self.nonce = nonce
        times = TimeExpectation(maximumAge: maximumAge, maximumLifetime: maximumLifetime, clockSkew: clockSkew)
        self.maximumAuthenticationAge = maximumAuthenticationAge
        self.subjectLimit = subjectLimit
    }

    /// Checks every rule, in the order of OpenID Connect Core 1.0 §3.1.3.7, and throws the first violation.
    package func check(_ claims: Claims, at now: NumericDate) throws(JOSEError) {
        try checkIssuer(of: claims)
        try checkSubject(of: claims)
        let count = try checkAudience(of: claims)
        try checkAuthorizedParty(of: claims, isRequired: count > 1)
        try times.check(claims, at: now)
        try checkNonce(of: claims)
        try checkAuthenticationTime(of: claims, at: now)
    }

    /// Checks the claims of a logout token that it shares with an ID token, and throws the first violation.
    ///
    /// OpenID Connect Back-Channel Logout 1.0 §2.6 (4): "Validate the iss, aud, iat, and exp Claims in the same way they are
    /// validated in ID Tokens." `sub` may be missing, and ``nonce`` is not compared.
    package func checkLogoutToken(_ claims: Claims, at now: NumericDate) throws(JOSEError) {
        try checkIssuer(of: claims)
        if claims["sub"] != nil { try checkSubject(of: claims) }
        let count = try checkAudience(of: claims)
        try checkAuthorizedParty(of: claims, isRequired: count > 1)
        try times.check(claims, at: now)
    }

    /// Checks the claims of a security event token that it shares with an ID token, and throws the first violation.
    ///
    /// RFC 8417 §2.2: it may name other recipients beside this one, and `exp` usually is missing, because an event does not
    /// expire. Therefore `iat` and ``TimeExpectation/maximumAge`` limit its age.
    package func checkSecurityEvent(_ claims: Claims, at now: NumericDate) throws(JOSEError) {
        try checkIssuer(of: claims)
        _ = try checkAudience(of: claims, allowsOthers: true)
        if try claims.date("exp") != nil { try times.checkExpiry(of: claims, at: now) }
        try times.checkNotBefore(of: claims, at: now)
        try times.checkAge(of: claims, at: now)
    }
}

/// The required `nonce` of a token.
///
/// There is no default, so that each caller decides.
package enum NonceExpectation: Sendable {
    /// The token must have one of these nonces, all of which belong to one request.
    case oneOf([String])
    /// The nonce is not checked, because the issuer of this kind of token sends none. Another check must stop replays.
    case uncheckedBecauseProviderSendsNone
}

/// The rules about the times in a token.
package struct TimeExpectation: Sendable {
    /// The maximum time since the token was issued.
    ///
    /// If it is `nil`, only `exp` limits the age.
    package let maximumAge: Duration?
    /// The maximum time between `iat` and `exp`.
    package let maximumLifetime: Duration
    /// The maximum difference between the issuer's clock and ours, in either direction.
    package let clockSkew: Duration

    package init(maximumAge: Duration?, maximumLifetime: Duration, clockSkew: Duration) {
        self.maximumAge = maximumAge
        self.maximumLifetime = maximumLifetime
        self.clockSkew = clockSkew
    }

    /// Checks `exp`, `nbf` and `iat`, in this order, and throws the first violation.
    package func check(_ claims: Claims, at now: NumericDate) throws(JOSEError) {
        try checkExpiry(of: claims, at: now)
        try checkNotBefore(of: claims, at: now)
        try checkAge(of: claims, at: now)
        try checkLifetime(of: claims)
    }
}

/// The maximum length of the claim `sub`.
package enum SubjectLimit: Sendable {
    /// 255 octets. OpenID Connect Core 1.0 §2: sub "MUST NOT exceed 255 ASCII characters in length."
    case openIDConnect
    /// 128 UTF-16 code units: Firebase counts the characters of a uid in this unit.
    case firebase

    func allows(_ subject: String) -> Bool {
        switch self {
        case .openIDConnect: subject.utf8.count <= 255
        case .firebase: subject.utf16.count <= 128
        }
    }
}

extension ClaimsExpectation {
    /// Checks that `iss` has exactly the octets of an expected issuer.
    ///
    /// OpenID Connect Core 1.0 §3.1.3.7 (2): "The Issuer Identifier for the OpenID Provider … MUST exactly match the
    /// value of the iss (issuer) Claim." The comparison adds no slash and folds no case (RFC 8725 §3.8).
    func checkIssuer(of claims: Claims) throws(JOSEError) {
        let issuer = try claims.requiredText("iss")
        guard issuers.containsExactly(issuer) else { throw .issuerMismatch(expected: issuers) }
    }
}

extension ClaimsExpectation {
    /// Checks that `sub` is present, not too long, not blank, and without control characters.
    func checkSubject(of claims: Claims) throws(JOSEError) {
        let subject = try claims.requiredText("sub")
        guard subjectLimit.allows(subject), !subject.hasControlCharacter, !subject.isBlank else {
            throw .malformedClaim("sub")
        }
    }
}

extension ClaimsExpectation {
    /// Checks that the token names an expected audience, and no other than trusted ones.
    ///
    /// OpenID Connect Core 1.0 §3.1.3.7 (3): "The Client MUST validate that the aud (audience) Claim contains its
    /// client_id value …. The ID Token MUST be rejected if the ID Token does not list the Client as a valid audience, or
    /// if it contains additional audiences not trusted by the Client."
    ///
    /// - Parameter allowsOthers: Whether the token may name recipients beside this deployment, as a security event
    ///   token may.
    /// - Returns: The number of audiences.
    func checkAudience(of claims: Claims, allowsOthers: Bool = false) throws(JOSEError) -> Int {
        let named: [String]
        switch claims["aud"] {
        case nil:
            throw .missingClaim("aud")
        case .string(let text):
            named = [text]
        case .array(let elements):
            named = elements.compactMap(\.string)
            guard !named.isEmpty, named.count == elements.count else { throw .malformedClaim("aud") }
        default:
            throw .malformedClaim("aud")
        }
        guard named.contains(where: audiences.containsExactly) else { throw .audienceMismatch(expected: audiences) }
        guard
            allowsOthers
                || named.allSatisfy({ audiences.containsExactly($0) || trustedAudiences.containsExactly($0) })
        else {
            throw .severalAudiences
        }
        return named.count
    }
}

extension ClaimsExpectation {
    /// Checks that `azp` is a client of this deployment: the token was not issued to another client.
    ///
    /// OpenID Connect Core 1.0 §3.1.3.7 (5): "If an azp (authorized party) Claim is present, the Client SHOULD verify that
    /// its client_id is the Claim Value." (4): "If the ID Token contains multiple audiences, the Client SHOULD verify that an
    /// azp Claim is present."
    func checkAuthorizedParty(of claims: Claims, isRequired: Bool) throws(JOSEError) {
        guard let party = try claims.text("azp") else {
            guard !isRequired else { throw .missingClaim("azp") }
            return
        }
        guard authorizedParties.containsExactly(party) else {
            throw .authorizedPartyMismatch(expected: authorizedParties)
        }
    }
}

extension ClaimsExpectation {
    /// Checks that the token is the answer to our own request.
    ///
    /// OpenID Connect Core 1.0 §3.1.3.7 (11): "If a nonce value was sent in the Authentication Request, a nonce Claim MUST
    /// be present and its value checked to verify that it is the same value as the one that was sent".
    func checkNonce(of claims: Claims) throws(JOSEError) {
        switch nonce {
        case .uncheckedBecauseProviderSendsNone:
            return
        case .oneOf(let expected):
            let found = Array(try claims.requiredText("nonce").utf8)
            guard expected.contains(where: { constantTimeEqual(Array($0.utf8), found) }) else { throw .nonceMismatch }
        }
    }
}

/// What the refused nonce of a token and the expected one have in common.
package enum NonceDifference: Sendable {
    /// Only case, padding, or the characters by which `+` and `/` are replaced differ.
    case spelling
    /// The expected nonce is the SHA-256 of that of the token.
    case tokenHasValue
    /// The nonce of the token is the SHA-256 of the expected one.
    case tokenHasHash
}

extension ClaimsExpectation {
    /// Compares a nonce that ``checkNonce(of:)`` refuses with the expected one, for an operator; `nil` if they have nothing in
    /// common.
    package func nonceDifference(of claims: Claims) -> NonceDifference? {
        guard case .oneOf(let expected) = nonce, let found = claims["nonce"]?.string else { return nil }
        func isExpected(_ text: String, as spelling: (String) -> String = { $0 }) -> Bool {
            expected.contains { constantTimeEqual(Array(spelling($0).utf8), Array(text.utf8)) }
        }
        if isExpected(Self.folded(found), as: Self.folded) { return .spelling }
        if isExpected(Base64URL.encode(SHA256.hash(Array(found.utf8)))) { return .tokenHasValue }
        if isExpected(found, as: { Base64URL.encode(SHA256.hash(Array($0.utf8))) })
            || isExpected(found, as: { SHA256.hash(Array($0.utf8)).hexadecimal })
        {
            return .tokenHasHash
        }
        return nil
    }

    private static func folded(_ nonce: String) -> String {
        nonce.lowercased().replacing("=", with: "").replacing(" ", with: "+").replacing("-", with: "+")
            .replacing("_", with: "/")
    }
}

extension ClaimsExpectation {
    /// Checks that the person authenticated recently, if a maximum age is set.
    ///
    /// OpenID Connect Core 1.0 §3.1.3.7 (13): "If the auth_time Claim was requested …, the Client SHOULD check the auth_time
    /// Claim value and request re-authentication if it determines too much time has elapsed".
    func checkAuthenticationTime(of claims: Claims, at now: NumericDate) throws(JOSEError) {
        guard let maximumAuthenticationAge else { return }
        let time = try claims.requiredDate("auth_time")
        guard time <= now + times.clockSkew else { throw .issuedInFuture(at: time, now: now) }
        guard now <= time + maximumAuthenticationAge + times.clockSkew else {
            throw .authenticationTooOld(at: time, now: now)
        }
    }
}

extension TimeExpectation {
    /// Checks that the token has not expired.
    ///
    /// OpenID Connect Core 1.0 §3.1.3.7 (9): "The current time MUST be before the time represented by the exp Claim", with
    /// the leeway of RFC 7519 §4.1.4.
    func checkExpiry(of claims: Claims, at now: NumericDate) throws(JOSEError) {
        let expiry = try claims.requiredDate("exp")
        guard now - clockSkew < expiry else { throw .expired(at: expiry, now: now) }
    }
}

extension TimeExpectation {
    /// Checks that the time of `nbf`, if it is present, has come.
    ///
    /// RFC 7519 §4.1.5: "the current date/time MUST be after or equal to the not-before date/time listed in the "nbf"
    /// claim."
    func checkNotBefore(of claims: Claims, at now: NumericDate) throws(JOSEError) {
        guard let start = try claims.date("nbf") else { return }
        guard start <= now + clockSkew else { throw .notYetValid(before: start, now: now) }
    }
}

extension TimeExpectation {
    /// Checks that the token was issued recently.
    ///
    /// OpenID Connect Core 1.0 §3.1.3.7 (10): "The iat Claim can be used to reject tokens that were issued too far away from
    /// the current time, limiting the amount of time that nonces need to be stored to prevent attacks. The acceptable
    /// range is Client specific."
    func checkAge(of claims: Claims, at now: NumericDate) throws(JOSEError) {
        let issuedAt = try claims.requiredDate("iat")
        guard issuedAt <= now + clockSkew else { throw .issuedInFuture(at: issuedAt, now: now) }
        if let maximumAge {
            guard now <= issuedAt + maximumAge + clockSkew else { throw .tooOld(issuedAt: issuedAt, now: now) }
        }
    }

    /// Checks that the lifetime of the token is not too long.
    ///
    /// The server keeps the record of a spent token until `exp`. The maximum lifetime limits how long that is.
    func checkLifetime(of claims: Claims) throws(JOSEError) {
        let issuedAt = try claims.requiredDate("iat")
        guard try claims.requiredDate("exp") <= issuedAt + maximumLifetime else {
            throw .lifetimeTooLong(maximum: maximumLifetime)
        }
    }
}
