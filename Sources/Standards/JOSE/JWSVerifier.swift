/// Tells whether an issuer's key signed a token.
///
/// What the token says is the business of ``ClaimsExpectation``.
package enum JWSVerifier {
    /// Answers what a token claims, once its signature holds.
    ///
    /// The caller says which algorithms the issuer signs with; the header's `alg` has to be one of them, letter by
    /// letter, and the one that the key is for (RFC 8725 §3.1). `typ` is absent or `JWT`.
    ///
    /// - Throws: the first of what is wrong with header, key and signature; ``JOSEError/malformedToken(_:)`` for a payload
    ///   that is no strict JSON object only after the signature held.
    package static func verify(
        _ jws: CompactJWS, keys: JWKSet, algorithms: Set<Algorithm>
    ) throws(JOSEError) -> Claims {
        Claims(verified: try ClaimsDocument.parse(try verifiedPayload(of: jws, keys: keys, algorithms: algorithms)))
    }

    /// The same for a payload that need not be JSON.
    package static func verifiedPayload(
        of jws: CompactJWS, keys: JWKSet, algorithms: Set<Algorithm>
    ) throws(JOSEError) -> [UInt8] {
        precondition(!algorithms.isEmpty, "Nothing could ever be verified.")
        guard let algorithm = Algorithm(exactly: jws.header.algorithm), algorithms.contains(algorithm) else {
            throw .algorithmNotAllowed
        }
        try jws.header.checkType()
        let key = try keys.key(for: jws.header.keyID, algorithm)
        guard key.isValid(signature: jws.signature, for: jws.signingInput) else { throw .signatureInvalid }
        return jws.payload
    }
}
