internal import Octets

extension ClaimsExpectation {
    /// The token was not issued to another client for us.
    ///
    /// OpenID Connect Core 1.0 §3.1.3.7 (5): "If an azp (authorized party) Claim is present, the Client SHOULD verify that
    /// its client_id is the Claim Value."
    func checkAuthorizedParty(of claims: Claims, audience: String) throws(JOSEError) {
        guard let party = try claims.text("azp") else { return }
        guard party.exactlyEquals(audience) else { throw .authorizedPartyMismatch(expected: audience) }
    }
}
