import Jansson

/// A JWT that a service account signed, once its signature, audience and times have held (RFC 7523 §3).
struct ServiceAccountAssertion {
    enum Defect: Error {
        /// No JWT, not RS256, or no strict JSON inside.
        case malformed
        /// `iss` names nobody that is registered.
        case unknownIssuer
        case signature
        case audience
        /// Absent, not whole numbers, more than an hour apart, ahead, or over.
        case times
    }

    let account: GoogleServiceAccount
    let payload: JSON
}
