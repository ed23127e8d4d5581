package import Firebase

/// Why there is no custom token.
package enum MintingError: Error, Equatable, Sendable {
    case claims(DeveloperClaimsError)
    case signing(SigningFailure)
}
