package import Documents
package import JOSE

/// Why a request is not known to come from an application of ours.
package enum AppCheckError: Error, Equatable, Sendable {
    /// It cannot be taken apart.
    case malformed(JOSEError)
    /// Algorithm, type, key or signature is not as it has to be.
    case signature(JOSEError)
    /// The header has no `kid`.
    case noKeyID
    case claims(JOSEError)
    /// All was well with it, and its time is over.
    case expired
    /// The token is for another application of the project.
    case appNotAllowed
    /// Google's keys cannot be had, so that nobody knows.
    case keys(DocumentError)
}

extension AppCheckError {
    init(_ refusal: KeyedSignature.Refusal) {
        self =
            switch refusal {
            case .token(let error): .signature(error)
            case .noKeyID: .noKeyID
            case .keys(let error): .keys(error)
            }
    }
}
