internal import JOSE
@_spi(OperatorMinting) package import Minting

extension CustomTokenSigner {
    /// Signs a token without claims for a uid.
    ///
    /// It is valid for 60 seconds from ``TestClock/start``.
    ///
    /// - Parameter uid: The user that the token signs in.
    /// - Returns: The token in compact form.
    /// - Throws: ``MintingError``.
    package func signedToken(uid: String = "u") async throws(MintingError) -> String {
        try await token(
            uid: uid, developerClaims: .none, tenantID: nil, issuedAt: TestClock.start, lifetime: .seconds(60))
    }
}
