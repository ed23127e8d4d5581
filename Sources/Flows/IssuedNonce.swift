package import OAuth

/// A nonce for the provider, and the verifier that is posted with the credential.
package struct IssuedNonce: Sendable {
    package let nonce: String
    package let verifier: Secret
    /// Seconds.
    package let expiresIn: Int64
}
