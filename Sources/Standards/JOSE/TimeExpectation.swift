/// When a token is good, for whomever it may be.
package struct TimeExpectation: Sendable {
    /// How long ago the token may have been issued; nil leaves that to `exp`.
    package let maximumAge: Duration?
    /// What may lie between `iat` and `exp`.
    package let maximumLifetime: Duration
    /// How far the issuer's clock may be from ours, either way.
    package let clockSkew: Duration

    package init(maximumAge: Duration?, maximumLifetime: Duration, clockSkew: Duration) {
        self.maximumAge = maximumAge
        self.maximumLifetime = maximumLifetime
        self.clockSkew = clockSkew
    }

    /// The rules of `exp`, `nbf` and `iat`, in this order; the first that is broken is told.
    package func check(_ claims: Claims, at now: NumericDate) throws(JOSEError) {
        try checkExpiry(of: claims, at: now)
        try checkNotBefore(of: claims, at: now)
        try checkIssuedAt(of: claims, at: now)
    }
}
