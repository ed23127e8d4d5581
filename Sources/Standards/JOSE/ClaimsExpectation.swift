/// The values that the claims of a token must have.
///
/// All of them come from the caller, and none from the token.
package struct ClaimsExpectation: Sendable {
    package let issuers: [String]
    package let audiences: [String]
    package let nonce: NonceExpectation
    package let times: TimeExpectation
    /// The maximum time since the person authenticated; `nil` disables the check.
    ///
    /// If it is set, a token without `auth_time` is refused.
    package let maximumAuthenticationAge: Duration?
    package let subjectLimit: SubjectLimit

    /// Traps if an issuer, an audience or a nonce is missing or empty: that is a programming error, not a bad token.
    package init(
        issuers: [String], audiences: [String], nonce: NonceExpectation, maximumAge: Duration?,
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
        self.nonce = nonce
        times = TimeExpectation(maximumAge: maximumAge, maximumLifetime: maximumLifetime, clockSkew: clockSkew)
        self.maximumAuthenticationAge = maximumAuthenticationAge
        self.subjectLimit = subjectLimit
    }

    /// Checks every rule, in the order of OpenID Connect Core 1.0 §3.1.3.7, and throws the first violation.
    package func check(_ claims: Claims, at now: NumericDate) throws(JOSEError) {
        try checkIssuer(of: claims)
        try checkSubject(of: claims)
        let audience = try checkAudience(of: claims)
        try checkAuthorizedParty(of: claims, audience: audience)
        try times.check(claims, at: now)
        try checkNonce(of: claims)
        try checkAuthenticationTime(of: claims, at: now)
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
        try checkIssuedAt(of: claims, at: now)
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
