/// What the claims of a token have to be for us to act on them; every value is ours, none is the token's.
package struct ClaimsExpectation: Sendable {
    package let issuers: [String]
    package let audiences: [String]
    package let nonce: NonceExpectation
    package let times: TimeExpectation
    /// How long ago the person may have signed in; where this is set, a token without `auth_time` is refused.
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

    /// Every rule, in the order of OpenID Connect Core 1.0 §3.1.3.7; the first that is broken is told.
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
