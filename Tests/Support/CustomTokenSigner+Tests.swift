internal import JOSE
@_spi(OperatorMinting) package import Minting
internal import Transport

extension CustomTokenSigner {
    /// Makes a signer in another process that has too much to do.
    ///
    /// - Parameter isFull: Whether this is known before it is asked.
    /// - Returns: A signer that signs nothing.
    package static func overloaded(isFull: Bool = false) -> Self {
        .process(
            projectID: "p",
            calls: FrameCalls(isFull: { isFull }) { _ async throws(FrameCallError) in throw .overloaded })
    }

    /// Signs a token without claims for a uid.
    ///
    /// It is valid for 60 seconds from ``TestClock/start``.
    ///
    /// - Returns: The token in compact form.
    package func signedToken(uid: String = "u") async throws(MintingError) -> String {
        try await token(
            uid: uid, developerClaims: .none, tenantID: nil, issuedAt: TestClock.start, lifetime: .seconds(60))
    }
}
