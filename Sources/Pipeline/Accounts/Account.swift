package import Firebase
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
    package var emailHeldBy: [UID] = []
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
    case anonymous
    /// A Firebase ID token of the same person, whose developer claims the new session keeps.
    case session(FirebaseUser)
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
    package func signedIn(proving identity: VerifiedIdentity) -> Account {
        signedIn(by: .identity(identity))
    }

    /// Returns the caller's account for a fresh custom token, after the caller has shown a second Firebase ID token.
    ///
    /// The session keeps the claims of the caller's own ID token. If the caller's account is anonymous, the claims of
    /// the second one replace them; if both are anonymous, the session stays anonymous.
    ///
    /// - Parameter other: The caller of the second ID token.
    package func signedIn(with other: Caller) -> Account {
        guard account.isAnonymous else { return signedIn(by: .session(user)) }
        return signedIn(by: other.account.isAnonymous ? .anonymous : .session(other.user))
    }

    func signedIn(by evidence: SignInEvidence) -> Account {
        Account(uid: account.uid, isNew: false, evidence: evidence)
    }
}

/// Why an identity cannot join an account; the flow turns it into a pending credential.
package enum AccountCollision: Error, Equatable, Sendable {
    /// The verified address of a new identity belongs to these accounts.
    case emailTaken(by: [StoredAccount])
    /// The identity is linked to this account, which is not the caller's.
    case identityTaken(by: StoredAccount)
}

/// The refusals of accounts. Each of them leaves the directory unchanged.
extension Refusal {
    package static let userDisabled = Refusal(
        .userDisabled, "The account is disabled. Only the operator can enable it.", isUnspent: true)

    /// The user has a second factor of Firebase, which a custom token would bypass.
    package static let firebaseFactorEnrolled = Refusal(
        .secondFactorRequired,
        "The user has a second factor of Firebase, which a custom token would bypass. Sign in, link and reauthenticate with the "
            + "Firebase SDK; an account with such a factor is not merged here.",
        isUnspent: true)

    /// The account has a second factor, which the session of the caller has not proven recently.
    ///
    /// It may have got the factor after the call was checked.
    package static let factorNotProven = Refusal(
        .secondFactorRequired,
        "The account has a second factor, which this session has not proven recently. Sign in again with a code, then "
            + "send the new ID token.",
        isUnspent: true)

    /// The caller's account was deleted, or merged into another.
    package static let accountGone = Refusal(
        .accountGone,
        "The account of this ID token was deleted or merged into another account. Discard the token and sign in again.",
        isUnspent: true)

    /// The caller may not use this identity, or this second account, for the call.
    package static let userMismatch = Refusal(
        .userMismatch,
        "The credential, or its flow, does not belong to the account of the bearer token. Use one of this account.",
        isUnspent: true)

    /// The second account of a merge is the caller's own.
    package static let ownAccount = Refusal(
        .userMismatch,
        "The account to merge is that of the bearer token itself. Send the proof of another account.",
        isUnspent: true)

    package static let providerAlreadyLinked = Refusal(
        .providerAlreadyLinked,
        "The account already has an identity of this provider. Unlink that one first.", isUnspent: true)

    package static let notLinked = Refusal(
        .noSuchProvider,
        "The account has no identity of this provider that this server manages. See GET /v1/account: the Firebase SDK unlinks one "
            + "that is managed_by firebase.",
        isUnspent: true)

    package static let lastIdentity = Refusal(
        .lastIdentity,
        "This is the last identity of the account: without it, the user could not sign in. Link another identity "
            + "first, or delete the account.",
        isUnspent: true)

    /// The account that a merge would delete has a way to sign in that cannot be moved, such as a password.
    package static let otherSignInMethod = Refusal(
        .mergeNotPossible,
        "The other account has a sign-in method that cannot be moved, such as a password. Keep that account, and merge "
            + "this one into it. If both have one, remove it from one of them with the Firebase SDK first.",
        isUnspent: true)

    package init(_ refusal: AccountRefusal) {
        self =
            switch refusal {
            case .disabled: .userDisabled
            case .secondFactorEnrolled: .firebaseFactorEnrolled
            case .factorNotProven: .factorNotProven
            case .identityLost: .identityLost
            case .retired: .accountGone
            }
    }

    /// The account no longer has the identity that the caller has proven.
    package static let identityLost = Refusal(
        .userMismatch, userMismatch.description, finding: "the account has lost the identity", isUnspent: true)
}
