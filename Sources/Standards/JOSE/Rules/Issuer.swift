internal import Octets

extension ClaimsExpectation {
    /// The token is from the issuer that was asked, to the letter.
    ///
    /// OpenID Connect Core 1.0 §3.1.3.7 (2): "The Issuer Identifier for the OpenID Provider … MUST exactly match the
    /// value of the iss (issuer) Claim." No slash is added, no case folded (RFC 8725 §3.8).
    func checkIssuer(of claims: Claims) throws(JOSEError) {
        let issuer = try claims.requiredText("iss")
        guard issuers.containsExactly(issuer) else { throw .issuerMismatch(expected: issuers) }
    }
}
