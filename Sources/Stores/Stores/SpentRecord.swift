package import JOSE
internal import OpenSSL

/// The record of a used credential: a hash, and the time until which it is kept.
package struct SpentRecord: Sendable, Hashable {
    package let kind: SpentKind
    /// The SHA-256 (32 bytes) of a label for the kind and all parts, each preceded by its length.
    package let digest: [UInt8]
    /// The second from which on the record may be deleted.
    ///
    /// It is not before the last second in which the credential could be accepted. A later use is refused as expired.
    package let expiresAt: NumericDate
    /// The time at which the credential was issued, in whole seconds; `nil` if its second use is refused without this
    /// record.
    ///
    /// The provider refuses a second use of an authorization code, and a handle for a row of the store is refused if
    /// the row is missing. A second use of an event issues nothing.
    package let issuedAt: NumericDate?

    /// Makes a record, which contains only the hash of `parts`.
    ///
    /// - Parameters:
    ///   - kind: The kind, which determines the parts.
    ///   - parts: The parts in their order. Their boundaries count: `["ab", "c"]` and `["a", "bc"]` are different
    ///     credentials.
    ///   - issuedAt: The time at which the credential was issued; `nil` if its second use is refused without this
    ///     record.
    ///   - expiresAt: A second that is not before the last second in which the credential could be accepted.
    package init(_ kind: SpentKind, of parts: [[UInt8]], issuedAt: NumericDate?, expiresAt: NumericDate) {
        self.kind = kind
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        var message: [UInt8] = []
        message.reserveCapacity(parts.reduce(64) { $0 + 8 + $1.count })
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

/// The kinds of single-use credentials, and the parts that identify one of them.
///
/// The raw value is stored and is part of the hash, so it must never change.
package enum SpentKind: String, Sendable, CaseIterable {
    /// An authorization code, identified by the provider, our client ID at that provider, and the code.
    ///
    /// It permits one attempt.
    case authorizationCode = "code"
    /// An ID token, identified by its signing input: header and payload as they were received, without the signature.
    ///
    /// An ECDSA signature can be changed into another valid one. With a hash of the whole token, the changed token would
    /// count as unused.
    case idToken = "id_token"
    /// The id inside the seal of a nonce verifier.
    case nonce = "nonce"
    /// The id inside the seal of a session. It permits one attempt.
    case session = "session"
    /// The id of a browser flow. It permits one attempt at the provider.
    case flow = "flow"
    /// The id of a pushed authorization request (RFC 9126 §4).
    case pushedRequest = "pushed_request"
    /// The id of a confirmation page, which `POST /v1/signin` with an intent puts before the provider.
    case confirmation = "confirmation"
    /// The code that carries a finished browser sign-in to the application.
    case handoff = "handoff"
    /// The device code (RFC 8628).
    case deviceCode = "device_code"
    /// The handle of a pending credential.
    case pendingCredential = "pending_credential"
    /// The signing input of the Firebase ID token of an account that is merged into another one.
    case firebaseIDToken = "firebase_id_token"
    /// A logout token or another message about an event, identified by the provider, `iss` and `jti`.
    case event = "event"
}
