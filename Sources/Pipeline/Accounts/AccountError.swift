package import OAuth
package import Stores

/// Why there is no account.
package enum AccountError: Error, Equatable, Sendable {
    case store(StoreError)
    case random(RandomFailure)

    /// Whether it is certain that the directory is as it was before.
    package var nothingWasWritten: Bool {
        switch self {
        case .store(let error): error.nothingWasWritten
        case .random: true
        }
    }
}
