/// What a sealed value is for.
///
/// A value of one kind never opens as another.
package enum SealedKind: String, Sendable {
    /// The verifier of `POST /v1/nonce`.
    case nonce
    /// What `POST /v1/signin` answers, and the application keeps.
    case session
    /// A browser flow, in its cookie.
    case flow
    /// The parameters of a pushed authorization request (RFC 9126).
    case pushedRequest = "pushed_request"
    /// Which browser it is that enters device codes.
    case browser
    /// The state of a device page's form.
    case deviceForm = "device_form"
    /// What a conflict hands out in the place of the credential that ran into it.
    case pendingCredential = "pending_credential"
    /// A verified identity that waits for its application; the verification room's alone, since what opens counts as
    /// verified.
    case identity
}
