/// Why a token or a key set is not believed.
///
/// What was expected is said, and times are; of the rest that the token says nothing is, since it is its sender's text.
package enum JOSEError: Error, Equatable, Sendable {
    /// What cannot be read.
    package enum Part: String, Sendable {
        /// There are not three of them, or header or signature is empty.
        case segments
        case header
        case algorithm
        case keyID = "key_id"
        case type
        /// Not one strict JSON object in UTF-8.
        case payload
    }

    case malformedBase64URL
    case malformedToken(Part)
    case tooLarge(maximumBytes: Int)
    /// `alg` is none of those that were asked for.
    case algorithmNotAllowed
    /// `crit` or `b64`: no extension is understood here.
    case criticalHeader
    /// `typ` says that this is another kind of token.
    case typeNotAllowed
    /// No key of the set has the token's `kid`, or without one there is not exactly one key that it could be.
    case unknownKey
    /// The key of that `kid` is for another algorithm than the header's.
    case keyForOtherAlgorithm
    case signatureInvalid

    /// Not a JSON object with an array of at most fifty `keys`.
    case malformedKeySet

    case missingClaim(String)
    /// Not of the type, form or size that its standard gives it.
    case malformedClaim(String)
    case issuerMismatch(expected: [String])
    case audienceMismatch(expected: [String])
    /// The token is for others besides us.
    case severalAudiences
    case authorizedPartyMismatch(expected: String)
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
