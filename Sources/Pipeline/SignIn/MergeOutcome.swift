package import Firebase
package import Stores

/// Two accounts that have become one.
package struct MergeOutcome: Sendable {
    package let account: StoredAccount
    /// The one that is no more; nil where the identity belonged to nobody any more, and was linked.
    package let mergedUID: String?
    /// What became of the Firebase user of that one.
    package let removal: FirebaseUserRemoval
}
