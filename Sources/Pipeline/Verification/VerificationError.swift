package import JOSE
package import OAuth
package import Providers
package import Stores

/// Why nobody is proven.
package enum VerificationError: Error, Equatable, Sendable {
    /// A rule of the ID token failed.
    case idToken(JOSEError)
    /// The ID token, or the nonce that came with the credential, was used before.
    case replayed
    /// The ID token or the nonce was issued before a time in which its use may not have been recorded.
    case unwatched
    /// Nothing in this kind of credential says for whom it was issued, and the provider offers no way to ask.
    case audienceUnverifiable
    /// The provider's introspection names another client.
    case audienceMismatch
    /// The provider does not take the tokens under our signature, or says that they are not active.
    case tokenRejected
    /// - givenBack: the same request may be sent again.
    case provider(ProviderFailure, givenBack: Bool)
    /// - givenBack: nothing was spent, at the provider neither.
    case store(StoreError, givenBack: Bool)
    case random(RandomFailure)
}
