extension TimeExpectation {
    /// The token has not expired.
    ///
    /// OpenID Connect Core 1.0 §3.1.3.7 (9): "The current time MUST be before the time represented by the exp Claim", with
    /// the leeway of RFC 7519 §4.1.4.
    func checkExpiry(of claims: Claims, at now: NumericDate) throws(JOSEError) {
        let expiry = try claims.requiredDate("exp")
        guard now - clockSkew < expiry else { throw .expired(at: expiry, now: now) }
    }
}
