package import Firebase
internal import JOSE
package import OAuth
package import Stores
package import Verification

/// One Firebase user, and the identity that has just proven to be theirs.
///
/// There is no initializer outside this room; the compiler's memberwise one stays internal on purpose.
package struct Account: Sendable {
    package let uid: UID
    /// Whether this sign-in made the account.
    package let isNew: Bool
    /// Nil for an anonymous account, of which nobody has proven anything.
    package let identity: VerifiedIdentity?
    /// The accounts that have the verified address which this sign-in brought, so that this one has none still.
    package var emailHeldBy: [String] = []
}

/// A Firebase user: 1 to 128 characters.
package struct UID: OctetIdentifier {
    package let text: String

    /// Returns nil unless `text` has 1 to 128 characters, counted as UTF-16 does, which Firebase's own SDKs count by.
    package init?(_ text: String) {
        guard (1...128).contains(text.utf16.count) else { return nil }
        self.text = text
    }
}

/// A Firebase user who asks, and the account that is theirs.
///
/// There is no initializer outside this room: ``AccountLinker/caller(_:)`` makes one.
package struct Caller: Sendable {
    package let user: FirebaseUser
    package let account: StoredAccount
}

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
