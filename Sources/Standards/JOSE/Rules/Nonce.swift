internal import OpenSSL

extension ClaimsExpectation {
    /// The token answers our own request.
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
