package import Firebase
package import Stores

/// A Firebase user who asks, and the account that is theirs.
///
/// There is no initializer outside this room: ``AccountLinker/caller(_:)`` makes one.
package struct Caller: Sendable {
    package let user: FirebaseUser
    package let account: StoredAccount
}
