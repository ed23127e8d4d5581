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
