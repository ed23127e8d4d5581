extension ClaimsExpectation {
    /// The person proved lately who they are, where that is asked for.
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
