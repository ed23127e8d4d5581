internal import OpenSSL

/// The claim `at_hash`, which binds an access token to an ID token (OpenID Connect Core 1.0 §3.1.3.6).
package enum AccessTokenHash {
    /// Compares `at_hash` with the left half of the SHA-256 of the access token.
    ///
    /// RS256 and ES256 both use SHA-256. Both alphabets of base64 are accepted, with and without padding, because
    /// Yahoo pads the value, against the standard.
    ///
    /// - Parameters:
    ///   - claims: The claims of a verified ID token.
    ///   - accessToken: The token that the provider returned with it.
    /// - Throws: ``JOSEError/missingClaim(_:)``, ``JOSEError/malformedClaim(_:)`` for a value that does not encode 16
    ///   bytes, and ``JOSEError/accessTokenHashMismatch``.
    package static func check(_ claims: Claims, accessToken: String) throws(JOSEError) {
        let found = try decode(try claims.requiredText("at_hash"))
        let hash = SHA256.hash(Array(accessToken.utf8))
        guard constantTimeEqual(found, Array(hash.prefix(16))) else { throw .accessTokenHashMismatch }
    }

    private static func decode(_ text: String) throws(JOSEError) -> [UInt8] {
        var octets = Array(text.utf8)
        // 16 bytes are 22 characters, with padding 24.
        if octets.count == 24, octets.suffix(2).allSatisfy({ $0 == UInt8(ascii: "=") }) { octets.removeLast(2) }
        for (index, octet) in octets.enumerated() {
            if octet == UInt8(ascii: "+") { octets[index] = UInt8(ascii: "-") }
            if octet == UInt8(ascii: "/") { octets[index] = UInt8(ascii: "_") }
        }
        guard octets.count == 22, let bytes = try? Base64URL.decode(octets[...]) else {
            throw .malformedClaim("at_hash")
        }
        return bytes
    }
}
