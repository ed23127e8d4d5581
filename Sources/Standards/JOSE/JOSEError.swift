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
        /// The payload is no JSON object, and the header has `zip` (RFC 7516 §4.1.3), which only a JWE may have.
        case compressed
    }

    case malformedBase64URL
    case malformedToken(Part)
    /// The token has the five parts of a JWE (RFC 7516 §3.1).
    case encrypted
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
        case .encrypted: "jose.encrypted"
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

extension JOSEError {
    /// The error in words, for an operator.
    package var sentence: String {
        switch self {
        case .malformedBase64URL: "a part of the token is not base64url"
        case .malformedToken(.segments): "the token does not have the three parts of a signed JWT"
        case .malformedToken(.header): "the header of the token is not one JSON object"
        case .malformedToken(.algorithm): "alg in the header of the token is missing, or no text"
        case .malformedToken(.keyID): "kid in the header of the token is not a text of at most 256 octets"
        case .malformedToken(.type): "typ in the header of the token is no text"
        case .malformedToken(.payload): "the payload of the token is not one JSON object in UTF-8"
        case .malformedToken(.compressed):
            "the payload of the token is compressed (zip in its header), and only a JWE may be"
        case .encrypted: "the token is encrypted (a JWE with five parts), and only signed tokens are read"
        case .tooLarge(let maximum): "the token or document has more than \(maximum) octets"
        case .algorithmNotAllowed: "alg of the token is not one of the allowed algorithms"
        case .criticalHeader: "the header of the token has crit or b64, and no extension is supported"
        case .typeNotAllowed: "typ of the token is that of another kind of token"
        case .unknownKey: "no usable key of the provider has the kid of the token, or its algorithm, for its issuer"
        case .keyForOtherAlgorithm: "the key with the kid of the token is for another algorithm than its alg"
        case .signatureInvalid: "the signature of the token is not valid"
        case .malformedKeySet: "the key set is not a JSON object with a list of at most 250 keys"
        case .missingClaim(let name): "the token has no claim \(name)"
        case .malformedClaim(let name):
            "the claim \(name) of the token has another type or form than its standard requires"
        case .forbiddenClaim(let name): "the token has the claim \(name), which its kind must not have"
        case .issuerMismatch(let expected): "iss of the token is not \(expected.joined(separator: " or "))"
        case .audienceMismatch(let expected): "aud of the token does not contain \(expected.joined(separator: " or "))"
        case .severalAudiences: "aud of the token contains an audience that is not trusted"
        case .authorizedPartyMismatch(let expected): "azp of the token is not \(expected.joined(separator: " or "))"
        case .expired(let expiry, let now): "the token expired at \(expiry.seconds), and it is \(now.seconds)"
        case .issuedInFuture(let time, let now):
            "iat or auth_time of the token is \(time.seconds), and it is \(now.seconds)"
        case .notYetValid(let start, let now): "nbf of the token is \(start.seconds), and it is \(now.seconds)"
        case .tooOld(let issuedAt, let now): "the token was issued at \(issuedAt.seconds), and it is \(now.seconds)"
        case .lifetimeTooLong(let maximum): "exp of the token is more than \(maximum.components.seconds) s after iat"
        case .nonceMismatch: "nonce of the token is not that of the request"
        case .authenticationTooOld(let time, let now):
            "auth_time of the token is \(time.seconds), and it is \(now.seconds)"
        case .accessTokenHashMismatch: "at_hash of the token is not the hash of the access token"
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

    /// The reason in words, for an operator.
    package var sentence: String {
        switch self {
        case .notAnObject: "it is not an object"
        case .malformedMember(let name): "\(name) is missing or malformed"
        case .symmetric: "it is a shared secret, which must not be published"
        case .privateMember: "it contains its private part, which must not be published"
        case .typeNotSupported: "its type (kty) is not supported"
        case .curveNotSupported: "its curve (crv) is not supported"
        case .useNotSignature: "use is not sig"
        case .operationNotVerify: "key_ops does not contain verify"
        case .algorithmDoesNotFit: "alg is not an algorithm of signatures that fits its type"
        case .key(.unsupportedSize(let bits)): "it has \(bits) bits"
        case .key: "its numbers are not those of a usable key"
        case .factorable: "it can be factored (CVE-2017-15361)"
        }
    }
}
