package import Firebase

/// Why a request does not count as one of the project's applications.
package enum AppCheckFailure: Error, Equatable, Sendable {
    case missing
    case invalid(AppCheckError)
}
