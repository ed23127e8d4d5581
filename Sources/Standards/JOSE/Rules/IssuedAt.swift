extension TimeExpectation {
    /// The token was made lately, and not for too long.
    ///
    /// OpenID Connect Core 1.0 §3.1.3.7 (10): "The iat Claim can be used to reject tokens that were issued too far away from
    /// the current time, limiting the amount of time that nonces need to be stored to prevent attacks. The acceptable
    /// range is Client specific."
    ///
    /// A lifetime beyond the maximum would keep a record of spent tokens for as long, so it is refused, too.
    func checkIssuedAt(of claims: Claims, at now: NumericDate) throws(JOSEError) {
        let issuedAt = try claims.requiredDate("iat")
        guard issuedAt <= now + clockSkew else { throw .issuedInFuture(at: issuedAt, now: now) }
        if let maximumAge {
            guard now <= issuedAt + maximumAge + clockSkew else { throw .tooOld(issuedAt: issuedAt, now: now) }
        }
        guard try claims.requiredDate("exp") <= issuedAt + maximumLifetime else {
            throw .lifetimeTooLong(maximum: maximumLifetime)
        }
    }
}
