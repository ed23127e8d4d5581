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
