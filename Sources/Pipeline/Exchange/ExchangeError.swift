package import OAuth
package import Providers
package import Stores

/// Why there are no provider tokens.
package enum ExchangeError: Error, Equatable, Sendable {
    /// This code, or this request token, was tried before.
    case replayed
    /// The provider does not take the code: wrong, expired, used, or bound to another redirect URI or verifier.
    case codeRejected
    /// - givenBack: the same request may be sent again, since the code was not spent after all.
    case provider(ProviderFailure, givenBack: Bool)
    /// - givenBack: the code was not spent.
    case store(StoreError, givenBack: Bool)
    case random(RandomFailure)
}
