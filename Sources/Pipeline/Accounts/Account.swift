package import Firebase
internal import JOSE
package import Standards
package import Stores
package import Verification

/// A Firebase user, and the evidence by which they have just signed in.
///
/// Only this target makes one: the memberwise initializer is internal.
package struct Account: Sendable {
    package let uid: UID
    /// Whether this sign-in created the account.
    package let isNew: Bool
    package let evidence: SignInEvidence
    /// The uids of other accounts that have the verified e-mail address of this sign-in.
    ///
    /// The address stays theirs; this account gets none.
    package var emailHeldBy: [String] = []
    /// Whether the account has a second factor; `nil` if the directory does not know.
    package var hasFactor: Bool?

    package var isAnonymous: Bool {
        if case .anonymous = evidence { true } else { false }
    }

    /// The identity of the sign-in; `nil` for any other evidence.
    package var identity: VerifiedIdentity? {
        if case .identity(let identity) = evidence { identity } else { nil }
    }
}

/// The evidence of a sign-in, from which the developer claims of its custom token are made.
package enum SignInEvidence: Sendable {
    case identity(VerifiedIdentity)
    /// The account is anonymous.
    case anonymous
    /// A Firebase ID token of the same person, whose developer claims the new session keeps.
    case session(FirebaseUser)
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
    /// The user as the directory knows them.
    let bearer: FirebaseCaller
    /// Whether the directory has the account.
    ///
    /// If not, a call that changes it adopts the user first.
    let isStored: Bool

    /// Returns the caller's account for a fresh custom token, after the caller has proven an identity.
    ///
    /// The identity may be linked to the account afterwards: a caller may mint for their own account at any time.
    ///
    /// - Parameter identity: The identity.
    /// - Returns: The account.
    /// - Throws: ``AccountError/store(_:)`` if the stored uid is not valid.
    package func signedIn(proving identity: VerifiedIdentity) throws(AccountError) -> Account {
        try signedIn(by: .identity(identity))
    }

    /// Returns the caller's account for a fresh custom token, after the caller has shown a second Firebase ID token.
    ///
    /// The session keeps the claims of the caller's own ID token. If the caller's account is anonymous, the claims of
    /// the second one replace them; if both are anonymous, the session stays anonymous.
    ///
    /// - Parameter other: The caller of the second ID token.
    /// - Returns: The account.
    /// - Throws: ``AccountError/store(_:)`` if the stored uid is not valid.
    package func signedIn(with other: Caller) throws(AccountError) -> Account {
        guard account.isAnonymous else { return try signedIn(by: .session(user)) }
        return try signedIn(by: other.account.isAnonymous ? .anonymous : .session(other.user))
    }

    func signedIn(by evidence: SignInEvidence) throws(AccountError) -> Account {
        guard let uid = UID(account.uid) else { throw .store(.corrupt) }
        return Account(uid: uid, isNew: false, evidence: evidence)
    }
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
    /// The account that the merge would delete has a second factor, which would be lost.
    case otherHasFactor
    /// The account has a second factor, which the caller has not proven.
    case factorNotProven
    /// The account no longer has the identity that the caller has proven.
    case identityLost
    /// The caller may not use this identity, or this second account, for the call.
    case userMismatch

    /// Whether the directory is certainly unchanged.
    package var nothingWasWritten: Bool {
        if case .store(let error) = self { error.nothingWasWritten } else { true }
    }
}
