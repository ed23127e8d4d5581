/// The check that a key of the issuer signed a token.
///
/// It does not check the claims: ``ClaimsExpectation`` does.
package enum JWSVerifier {
    /// Returns the claims of a token whose signature is valid.
    ///
    /// The header's `alg` must be one of the allowed algorithms, with the same octets, and the algorithm of the key (RFC
    /// 8725 §3.1). `typ` must be absent or `JWT`, in any letter case.
    ///
    /// - Parameters:
    ///   - jws: The token.
    ///   - keys: The key set of the issuer.
    ///   - algorithms: The algorithms that the issuer may sign with; not empty.
    /// - Returns: The claims, which are not checked yet.
    /// - Throws: The first error of header, key and signature, in this order. The payload is parsed after the signature
    ///   was verified; ``JOSEError/malformedToken(_:)`` if it is not a strict JSON object.
    package static func verify(
        _ jws: CompactJWS, keys: JWKSet, algorithms: Set<Algorithm>
    ) throws(JOSEError) -> Claims {
        Claims(verified: try ClaimsDocument.parse(try verifiedPayload(of: jws, keys: keys, algorithms: algorithms)))
    }

    /// Returns the payload of a token whose signature is valid, without parsing it.
    ///
    /// The checks are those of ``verify(_:keys:algorithms:)``.
    package static func verifiedPayload(
        of jws: CompactJWS, keys: JWKSet, algorithms: Set<Algorithm>
    ) throws(JOSEError) -> [UInt8] {
        precondition(!algorithms.isEmpty, "At least one algorithm must be allowed.")
        guard let algorithm = Algorithm(exactly: jws.header.algorithm), algorithms.contains(algorithm) else {
            throw .algorithmNotAllowed
        }
        try jws.header.checkType()
        let key = try keys.key(for: jws.header.keyID, algorithm)
        guard key.isValid(signature: jws.signature, for: jws.signingInput) else { throw .signatureInvalid }
        return jws.payload
    }
}

/// The signature algorithms of RFC 7518 §3.1 that this program supports.
///
/// `none` and the symmetric algorithms have no case, so that no caller can allow them.
package enum Algorithm: String, Sendable, CaseIterable {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"

    /// Returns `nil` unless the text has exactly the octets of an algorithm's name.
    init?(exactly text: String) {
        guard let algorithm = Self.allCases.first(where: { $0.rawValue.exactlyEquals(text) }) else { return nil }
        self = algorithm
    }
}
