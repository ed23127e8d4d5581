package import OAuth

/// A flow that has begun: where to send the person, and what to hand back with the callback.
package struct BegunSignIn: Sendable {
    /// The provider's, or with an intent that of our page before it.
    package let authorizationURL: Secret
    package let session: Secret
    /// Seconds.
    package let expiresIn: Int64
}
