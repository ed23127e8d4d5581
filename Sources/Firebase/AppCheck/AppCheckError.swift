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

    /// A stable word for logs and metrics.
    package var code: String {
        switch self {
        case .malformed(let error), .signature(let error), .claims(let error): "app_check." + error.code
        case .noKeyID: "app_check.no_key_id"
        case .expired: "app_check.expired"
        case .appNotAllowed: "app_check.app_not_allowed"
        case .keys(let error): "app_check." + error.code
        }
    }
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
