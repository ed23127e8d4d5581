internal import OpenSSL

/// Whether an access token came with this ID token (OpenID Connect Core 1.0 §3.1.3.6).
package enum AccessTokenHash {
    /// Compares `at_hash` with the left half of the access token's SHA-256, which goes with RS256 and ES256 alike.
    ///
    /// Both alphabets of base64 are read, with and without padding: Yahoo pads, against the standard.
    ///
    /// - Throws: ``JOSEError/missingClaim(_:)``, ``JOSEError/malformedClaim(_:)`` for what is no text of 16 bytes, and
    ///   ``JOSEError/accessTokenHashMismatch``. What cannot be checked does not pass.
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
