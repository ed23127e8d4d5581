package import JOSE
package import Jansson
@_spi(OperatorMinting) package import Minting

/// Mints a custom token for any uid, without a verified person, for the operator's command.
///
/// The command line and the benchmark link this target; the server does not. It gives its caller no new power: the
/// operator who runs it already holds the service account's key.
package enum OperatorMint {
    /// Makes the token.
    ///
    /// - Parameters:
    ///   - uid: 1 to 128 UTF-16 code units.
    ///   - claims: Developer claims. ``DeveloperClaims`` checks their names and their size.
    ///   - tenantID: The Identity Platform tenant of the user; `nil` for none.
    ///   - lifetime: At most an hour; a longer one is shortened.
    ///   - signer: Signs the token.
    ///   - now: The time of issue.
    /// - Returns: The token in compact form.
    /// - Throws: ``MintingError``.
    package static func token(
        uid: String, claims: [String: JSON], tenantID: String?, lifetime: Duration, signer: CustomTokenSigner,
        at now: NumericDate
    ) async throws(MintingError) -> String {
        guard (1...128).contains(uid.utf16.count) else { throw .uidLength }
        return try await signer.token(
            uid: uid, developerClaims: try DeveloperClaims(claims), tenantID: tenantID, issuedAt: now,
            lifetime: lifetime)
    }
}
