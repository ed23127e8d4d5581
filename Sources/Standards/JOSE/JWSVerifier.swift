internal import OpenSSL

/// The check that a key of the issuer signed a token.
///
/// It does not check the claims: ``ClaimsExpectation`` does.
package enum JWSVerifier {
    /// Returns the claims of a token whose signature is valid.
    ///
    /// The header's `alg` must be one of the allowed algorithms, with the same octets, and the algorithm of the key (RFC
    /// 8725 §3.1). `typ` must be absent, `JWT` or that of `type`, in any letter case.
    ///
    /// - Parameters:
    ///   - keys: The key set of the issuer.
    ///   - algorithms: The algorithms that the issuer may sign with; not empty.
    ///   - tenantPlaceholder: What stands for a tenant in the `issuer` of a key; `nil` if the set belongs to one issuer, so that
    ///     this member is not read. Otherwise a key that names the issuer of other tenants verifies nothing.
    /// - Returns: The claims, which are not checked yet.
    /// - Throws: The first error of header, key and signature, in this order. The payload is parsed after the signature
    ///   was verified; ``JOSEError/malformedToken(_:)`` if it is not a strict JSON object.
    package static func verify(
        _ jws: CompactJWS, keys: JWKSet, algorithms: Set<Algorithm>, type: TokenType = .jwt,
        tenantPlaceholder: String? = nil
    ) throws(JOSEError) -> Claims {
        let valid = try validKeys(of: jws, in: keys, algorithms: algorithms, type: type)
        let claims = Claims(
            verified: try ClaimsDocument.parse(jws.payload, isCompressed: jws.header.namesCompression),
            algorithm: Algorithm(exactly: jws.header.algorithm))
        if let tenantPlaceholder {
            guard valid.contains(where: { $0.belongs(toIssuerOf: claims, placeholder: tenantPlaceholder) })
            else { throw .unknownKey }
        }
        return claims
    }

    /// Returns the payload of a token whose signature is valid, without parsing it.
    ///
    /// The checks are those of ``verify(_:keys:algorithms:type:tenantPlaceholder:)``.
    package static func verifiedPayload(
        of jws: CompactJWS, keys: JWKSet, algorithms: Set<Algorithm>
    ) throws(JOSEError) -> [UInt8] {
        _ = try validKeys(of: jws, in: keys, algorithms: algorithms, type: .jwt)
        return jws.payload
    }

    /// Returns the keys that verify a token, at least one.
    private static func validKeys(
        of jws: CompactJWS, in keys: JWKSet, algorithms: Set<Algorithm>, type: TokenType
    ) throws(JOSEError) -> [JWK] {
        precondition(!algorithms.isEmpty, "At least one algorithm must be allowed.")
        guard let algorithm = Algorithm(exactly: jws.header.algorithm), algorithms.contains(algorithm) else {
            throw .algorithmNotAllowed
        }
        try jws.header.checkType(type)
        let candidates = try keys.keys(for: jws.header.keyID, algorithm)
        let valid = candidates.filter { $0.isValid(signature: jws.signature, for: jws.signingInput, algorithm) }
        guard !valid.isEmpty else {
            // Keys without an id were tried, so that the token may be signed with a newer key.
            let keyID = jws.header.keyID
            throw keyID == nil || candidates.contains { $0.id == keyID } ? .signatureInvalid : .unknownKey
        }
        return valid
    }
}

/// The kinds of JWT with a `typ` of their own; the raw value is that `typ`.
package enum TokenType: String, Sendable {
    /// Every JWT without a more exact type, such as an ID token.
    case jwt
    /// A logout token (OpenID Connect Back-Channel Logout 1.0 §2.4).
    case logoutToken = "logout+jwt"
    /// A security event token (RFC 8417 §2.3).
    case securityEvent = "secevent+jwt"
}

/// The signature algorithms of RFC 7518 §3.1 and RFC 8037 §3.1 that this program supports.
///
/// `none` and the symmetric algorithms have no case, so that no caller can allow them.
package enum Algorithm: String, Sendable, CaseIterable {
    /// RSASSA-PKCS1-v1_5 with SHA-256; the next two are with SHA-384 and SHA-512.
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    /// RSASSA-PSS with SHA-256; the next two are with SHA-384 and SHA-512.
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    /// ECDSA on P-384 with SHA-384.
    case es384 = "ES384"
    /// ECDSA on P-521 with SHA-512.
    case es512 = "ES512"
    /// Ed25519, the only curve of `EdDSA` that is supported.
    case edDSA = "EdDSA"

    /// Returns `nil` unless the text has exactly the octets of an algorithm's name.
    package init?(exactly text: String) {
        guard let algorithm = Self.allCases.first(where: { $0.rawValue.exactlyEquals(text) }) else { return nil }
        self = algorithm
    }

    /// The hash function of the algorithm (RFC 7518 §3.1; RFC 8032 §5.1).
    var digest: SHA2 {
        switch self {
        case .rs256, .ps256, .es256: .sha256
        case .rs384, .ps384, .es384: .sha384
        case .rs512, .ps512, .es512, .edDSA: .sha512
        }
    }
}
