internal import OpenSSL

/// The claim `at_hash`, which binds an access token to an ID token (OpenID Connect Core 1.0 §3.1.3.6).
package enum AccessTokenHash {
    /// Compares `at_hash` with the left half of the hash of the access token.
    ///
    /// The hash function is that of the ID token's `alg`. Both alphabets of base64 are accepted, with and without padding,
    /// because Yahoo pads the value, against the standard.
    ///
    /// - Parameters:
    ///   - claims: The claims of a verified ID token.
    ///   - accessToken: The token that the provider returned with it.
    /// - Throws: ``JOSEError/missingClaim(_:)``, ``JOSEError/malformedClaim(_:)`` for a value that does not encode half a
    ///   hash, and ``JOSEError/accessTokenHashMismatch``.
    package static func check(_ claims: Claims, accessToken: String) throws(JOSEError) {
        let hash = (claims.algorithm ?? .rs256).digest.hash(Array(accessToken.utf8))
        let half = Array(hash.prefix(hash.count / 2))
        guard let found = try? Base64URL.decode(anySpelling: try claims.requiredText("at_hash")) else {
            guard claims["at_hash"] != nil else { throw .missingClaim("at_hash") }
            throw .malformedClaim("at_hash")
        }
        guard found.count == half.count else { throw .malformedClaim("at_hash") }
        guard constantTimeEqual(found, half) else { throw .accessTokenHashMismatch }
    }
}
