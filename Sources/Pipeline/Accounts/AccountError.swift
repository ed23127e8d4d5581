package import OAuth
package import Stores

/// Why there is no account, or why it stays as it was.
package enum AccountError: Error, Equatable, Sendable {
    case store(StoreError)
    case random(RandomFailure)
    case disabled
    /// A custom token would pass by the second factor.
    case secondFactorEnrolled
    /// The caller's account was deleted, or merged into another.
    case retired
    /// The verified address of a new identity belongs to these accounts.
    case emailTaken(by: [StoredAccount])
    /// The identity has no account yet, and its profile could not be fetched: an account that is made without its
    /// address is never found by it.
    case profileMissing
    /// The identity is linked to this account, which is not the caller's.
    case identityTaken(by: StoredAccount)
    /// The account has another identity of that provider.
    case providerAlreadyLinked
    case notLinked
    /// Nobody would get into the account again.
    case lastIdentity
    /// The account that would go can be entered by something that cannot be moved, such as a password.
    case otherWayIn
    /// The identity, or the second account, is not one that the caller may use for this.
    case userMismatch

    /// Whether it is certain that the directory is as it was before.
    package var nothingWasWritten: Bool {
        if case .store(let error) = self { error.nothingWasWritten } else { true }
    }
}
