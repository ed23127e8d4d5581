package import Documents
package import JOSE

/// Why a bearer is not the user that it says.
///
/// All but ``keys(_:)`` speak of the token.
package enum FirebaseIDTokenError: Error, Equatable, Sendable {
    /// It cannot be taken apart.
    case malformed(JOSEError)
    /// A custom token was passed: the application has to sign in with it first, and pass what it gets.
    case customToken
    /// A custom token of the years before 2016 was passed.
    case legacyCustomToken
    /// A session cookie was passed.
    case sessionCookie
    /// Algorithm, type, key or signature is not as it has to be.
    case signature(JOSEError)
    /// The header has no `kid`.
    case noKeyID
    case claims(JOSEError)
    /// All was well with it, and its hour is over: the application gets a new one.
    case expired
    /// The user belongs to another tenant, or to one at all, or to none.
    case tenantMismatch
    /// Google's keys cannot be had, so that nobody knows.
    case keys(DocumentError)
}

extension FirebaseIDTokenError {
    init(_ refusal: KeyedSignature.Refusal) {
        self =
            switch refusal {
            case .token(let error): .signature(error)
            case .noKeyID: .noKeyID
            case .keys(let error): .keys(error)
            }
    }
}
