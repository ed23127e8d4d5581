package import Firebase
internal import JOSE
package import OAuth
import Octets
package import Stores
package import Verification

/// A Firebase user, and the verified identity that they have just signed in with.
///
/// Only this target makes one: the memberwise initializer is internal.
package struct Account: Sendable {
    package let uid: UID
    /// Whether this sign-in created the account.
    package let isNew: Bool
    /// `nil` for an anonymous account, which has no identity.
    package let identity: VerifiedIdentity?
    /// The uids of other accounts that have the verified e-mail address of this sign-in.
    ///
    /// The address stays theirs; this account gets none.
    package var emailHeldBy: [String] = []
}

/// The identifier of a Firebase user, 1 to 128 UTF-16 code units.
package struct UID: OctetIdentifier {
    package let text: String

    /// Returns `nil` unless `text` has 1 to 128 UTF-16 code units, the unit in which Firebase's SDKs count.
    package init?(_ text: String) {
        guard (1...128).contains(text.utf16.count) else { return nil }
        self.text = text
    }
}

/// A Firebase user who calls this server, and their account.
///
/// Only ``AccountLinker/caller(_:describedBy:)`` makes one: the memberwise initializer is internal.
package struct Caller: Sendable {
    package let user: FirebaseUser
    package let account: StoredAccount
}

/// Why there is no account, or why it was not changed.
package enum AccountError: Error, Equatable, Sendable {
    case store(StoreError)
    case random(RandomFailure)
    case disabled
    /// The user has a second factor, which a custom token would bypass.
    case secondFactorEnrolled
    /// The caller's account was deleted, or merged into another.
    case retired
    /// The verified address of a new identity belongs to these accounts.
    case emailTaken(by: [StoredAccount])
    /// The identity has no account yet, and its profile could not be fetched.
    ///
    /// An account that is created without its e-mail address would never be found by it.
    case profileMissing
    /// The identity is linked to this account, which is not the caller's.
    case identityTaken(by: StoredAccount)
    /// The account has another identity of that provider.
    case providerAlreadyLinked
    case notLinked
    /// The account has no other way to sign in, so that it would be lost.
    case lastIdentity
    /// The account that the merge would delete has a way to sign in that cannot be moved, such as a password.
    case otherWayIn
    /// The caller may not use this identity, or this second account, for the call.
    case userMismatch

    /// Whether the directory is certainly unchanged.
    package var nothingWasWritten: Bool {
        if case .store(let error) = self { error.nothingWasWritten } else { true }
    }
}
