package import OpenSSL

/// Why a token or a key set is refused.
///
/// A case contains the expected values and the times of the token, but no text from it: its sender chose that text.
package enum JOSEError: Error, Equatable, Sendable {
    /// The part of a token that is malformed.
    package enum Part: String, Sendable {
        /// The token does not have three segments, or its header or signature is empty.
        case segments
        case header
        case algorithm
        case keyID = "key_id"
        case type
        /// The payload is not one strict JSON object in UTF-8.
        case payload
    }

    case malformedBase64URL
    case malformedToken(Part)
    case tooLarge(maximumBytes: Int)
    /// `alg` is not one of the allowed algorithms.
    case algorithmNotAllowed
    /// The header has `crit` or `b64`. No extension is supported.
    case criticalHeader
    /// `typ` is present, and is neither `JWT` nor that of the expected kind of token.
    case typeNotAllowed
    /// No key of the set has the token's `kid`; or the token has no `kid`, and the set no key for its algorithm.
    case unknownKey
    /// Each key with that `kid` is for another algorithm than the header's.
    case keyForOtherAlgorithm
    case signatureInvalid

    /// The document is not a JSON object with an array of at most 250 `keys`.
    case malformedKeySet

    case missingClaim(String)
    /// The claim does not have the type, form or size that its standard requires.
    case malformedClaim(String)
    /// A token of this kind must not have the claim.
    case forbiddenClaim(String)
    case issuerMismatch(expected: [String])
    case audienceMismatch(expected: [String])
    /// The token names a further audience that is not trusted.
    case severalAudiences
    case authorizedPartyMismatch(expected: [String])
    case expired(at: NumericDate, now: NumericDate)
    case issuedInFuture(at: NumericDate, now: NumericDate)
    case notYetValid(before: NumericDate, now: NumericDate)
    case tooOld(issuedAt: NumericDate, now: NumericDate)
    case lifetimeTooLong(maximum: Duration)
    case nonceMismatch
    case authenticationTooOld(at: NumericDate, now: NumericDate)
    case accessTokenHashMismatch
}

extension JOSEError {
    /// The name in logs and metrics, which never changes.
    package var code: String {
        switch self {
        case .malformedBase64URL: "jose.malformed_base64url"
        case .malformedToken(let part): "jose.malformed_\(part.rawValue)"
        case .tooLarge: "jose.too_large"
        case .algorithmNotAllowed: "jose.algorithm_not_allowed"
        case .criticalHeader: "jose.critical_header"
        case .typeNotAllowed: "jose.type_not_allowed"
        case .unknownKey: "jose.unknown_key"
        case .keyForOtherAlgorithm: "jose.key_for_other_algorithm"
        case .signatureInvalid: "jose.signature_invalid"
        case .malformedKeySet: "jose.malformed_key_set"
        case .missingClaim(let name): "jose.missing_\(name)"
        case .malformedClaim(let name): "jose.malformed_\(name)"
        case .forbiddenClaim(let name): "jose.forbidden_\(name)"
        case .issuerMismatch: "jose.issuer_mismatch"
        case .audienceMismatch: "jose.audience_mismatch"
        case .severalAudiences: "jose.several_audiences"
        case .authorizedPartyMismatch: "jose.authorized_party_mismatch"
        case .expired: "jose.expired"
        case .issuedInFuture: "jose.issued_in_future"
        case .notYetValid: "jose.not_yet_valid"
        case .tooOld: "jose.too_old"
        case .lifetimeTooLong: "jose.lifetime_too_long"
        case .nonceMismatch: "jose.nonce_mismatch"
        case .authenticationTooOld: "jose.authentication_too_old"
        case .accessTokenHashMismatch: "jose.access_token_hash_mismatch"
        }
    }
}

/// Why one key of a set is refused.
///
/// The other keys of the set stay usable.
package enum JWKRefusal: Error, Equatable, Sendable {
    case notAnObject
    /// A member is missing, or does not have the type and form of RFC 7517 and 7518. The name is one from these RFCs.
    case malformedMember(String)
    /// `kty` is `oct`: the document publishes a shared secret.
    case symmetric
    /// The entry has `d` or another private member: every reader of the document could sign with this key.
    case privateMember
    case typeNotSupported
    case curveNotSupported
    /// `use` is present and is not `sig`.
    case useNotSignature
    /// `key_ops` is present and does not contain `verify`.
    case operationNotVerify
    /// `alg` is not an algorithm of this key type and curve.
    case algorithmDoesNotFit
    case key(KeyError)
    /// The modulus was made by the Infineon library of 2012 to 2017, and can be factored (CVE-2017-15361).
    case factorable
}
