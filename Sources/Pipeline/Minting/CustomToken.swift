package import Accounts
package import OAuth

/// What Firebase's `signInWithCustomToken` takes.
///
/// There is no initializer outside this room; the compiler's memberwise one stays internal on purpose.
package struct CustomToken: Sendable {
    package let secret: Secret
    package let uid: UID
    /// Seconds.
    package let expiresIn: Int64
}
