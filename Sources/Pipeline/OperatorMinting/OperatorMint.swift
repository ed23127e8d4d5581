package import Firebase
package import JOSE
package import Jansson

/// The operator's door: a custom token for any uid, with nobody verified.
///
/// The command line and the bench link this target; the server does not. Whoever can run it holds the service-account
/// key already.
package enum OperatorMint {
    /// - Throws: ``OperatorMintError``.
    package static func token(
        uid: String, claims: [String: JSON], tenantID: String?, lifetime: Duration, signer: CustomTokenSigner,
        at now: NumericDate
    ) async throws(OperatorMintError) -> String {
        guard (1...128).contains(uid.utf16.count) else { throw .uidLength }
        let developerClaims: DeveloperClaims
        do {
            developerClaims = try DeveloperClaims(claims)
        } catch {
            throw .claims(error)
        }
        do {
            return try await signer.sign(
                CustomTokenClaims(
                    uid: uid, developerClaims: developerClaims, tenantID: tenantID, issuedAt: now, lifetime: lifetime))
        } catch {
            throw .signing(error)
        }
    }
}

/// Why the operator gets no token.
package enum OperatorMintError: Error, Equatable, Sendable {
    /// A uid has 1 to 128 characters.
    case uidLength
    case claims(DeveloperClaimsError)
    case signing(SigningFailure)
}
