package import Firebase
package import Stores

/// Two accounts that have become one.
package struct MergeOutcome: Sendable {
    package let account: StoredAccount
    /// The account that is no more.
    package let mergedUID: String
    /// What became of the Firebase user of that one.
    package let removal: FirebaseUserRemoval
}
