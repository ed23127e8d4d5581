/// What the claims of a token have to be for us to act on them; every value is ours, none is the token's.
package struct ClaimsExpectation: Sendable {
    package let issuers: [String]
    package let audiences: [String]
    package let nonce: NonceExpectation
    /// How long ago the token may have been issued; nil leaves that to `exp`.
    package let maximumAge: Duration?
    /// What may lie between `iat` and `exp`.
    package let maximumLifetime: Duration
    /// How far the issuer's clock may be from ours, either way.
    package let clockSkew: Duration
    /// How long ago the person may have signed in; where this is set, a token without `auth_time` is refused.
    package let maximumAuthenticationAge: Duration?

    /// Nothing may be expected of nobody: an empty list, name or nonce is a mistake in the program.
    package init(
        issuers: [String], audiences: [String], nonce: NonceExpectation, maximumAge: Duration?,
        maximumLifetime: Duration, clockSkew: Duration, maximumAuthenticationAge: Duration? = nil
    ) {
        precondition(!issuers.isEmpty && !issuers.contains(""), "An issuer is expected.")
        precondition(!audiences.isEmpty && !audiences.contains(""), "An audience is expected.")
        if case .oneOf(let nonces) = nonce {
            precondition(!nonces.isEmpty && !nonces.contains(""), "A nonce is expected.")
        }
        self.issuers = issuers
        self.audiences = audiences
        self.nonce = nonce
        self.maximumAge = maximumAge
        self.maximumLifetime = maximumLifetime
        self.clockSkew = clockSkew
        self.maximumAuthenticationAge = maximumAuthenticationAge
    }

    /// Every rule, in the order of OpenID Connect Core 1.0 §3.1.3.7; the first that is broken is told.
    package func check(_ claims: Claims, at now: NumericDate) throws(JOSEError) {
        try checkIssuer(of: claims)
        try checkSubject(of: claims)
        let audience = try checkAudience(of: claims)
        try checkAuthorizedParty(of: claims, audience: audience)
        try checkExpiry(of: claims, at: now)
        try checkNotBefore(of: claims, at: now)
        try checkIssuedAt(of: claims, at: now)
        try checkNonce(of: claims)
        try checkAuthenticationTime(of: claims, at: now)
    }
}
