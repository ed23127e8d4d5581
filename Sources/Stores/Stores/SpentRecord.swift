package import JOSE
internal import OpenSSL

/// What is remembered of a credential that was used: a hash, and for how long.
package struct SpentRecord: Sendable, Hashable {
    package let kind: SpentKind
    /// SHA-256, 32 bytes, over a label of the kind and all parts, each with its length before it.
    package let digest: [UInt8]
    /// From this second on the record may be forgotten: the credential's own expiry plus the skew that is allowed.
    package let expiresAt: NumericDate
    /// When the credential was issued, in whole seconds; nil if its second use is refused without this record.
    ///
    /// An authorization code is refused by its provider; what stands for a row of the store is refused without that
    /// row.
    package let issuedAt: NumericDate?

    /// Only the hash of `parts` is kept.
    ///
    /// - Parameters:
    ///   - kind: says which parts are asked for.
    ///   - parts: their order and their borders count: `["ab", "c"]` and `["a", "bc"]` are two credentials.
    ///   - issuedAt: when the credential was issued; nil if its second use is refused without this record.
    ///   - expiresAt: not before the last second in which the credential could be accepted.
    package init(_ kind: SpentKind, of parts: [[UInt8]], issuedAt: NumericDate?, expiresAt: NumericDate) {
        self.kind = kind
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        var message: [UInt8] = []
        for part in [Array("token-exchange spent \(kind.rawValue)".utf8)] + parts {
            // Eight bytes of length, the most significant first.
            for shift in stride(from: 56, through: 0, by: -8) {
                message.append(UInt8(truncatingIfNeeded: part.count >> shift))
            }
            message += part
        }
        digest = SHA256.hash(message)
    }
}

/// What can be used up, and which parts tell one from another.
///
/// The raw value is stored, and is part of what is hashed: it never changes.
package enum SpentKind: String, Sendable, CaseIterable {
    /// Provider, our client id there, the code. Good for one attempt.
    case authorizationCode = "code"
    /// The signing input, that is header and payload as they were sent, without the signature.
    ///
    /// An ECDSA signature can be rewritten into another that verifies as well, so a hash of the whole token would tell
    /// two spellings of one token apart.
    case idToken = "id_token"
    /// The id inside the seal of a nonce verifier.
    case nonce = "nonce"
    /// The id inside the seal of a session. Good for one attempt.
    case session = "session"
    /// The id of a browser flow. Good for one attempt at the provider.
    case flow = "flow"
    /// The id of a pushed authorization request (RFC 9126 §4).
    case pushedRequest = "pushed_request"
    /// The code that carries a finished browser sign-in to the application.
    case handoff = "handoff"
    /// The device code (RFC 8628).
    case deviceCode = "device_code"
    /// The handle of a pending credential.
    case pendingCredential = "pending_credential"
    /// The signing input of a Firebase ID token that ended an account.
    case firebaseIDToken = "firebase_id_token"
}
