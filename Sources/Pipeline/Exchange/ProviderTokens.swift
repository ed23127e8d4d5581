package import OAuth
package import Providers
package import Stores

/// What a provider gave for a grant that we redeemed under our own client credentials.
///
/// There is no initializer outside this room: whoever holds one knows that the tokens are ours by origin. The
/// compiler's memberwise initializer stays internal on purpose.
package struct ProviderTokens: Sendable {
    package let provider: ProviderID
    package let idToken: UnverifiedIDToken?
    package let accessToken: AccessToken?
    package let refreshToken: RefreshToken?
    /// Seconds from now on.
    package let expiresIn: Int64?
    package let scope: String?
    /// OAuth 1.0a only, as everything below.
    package let tokenCredentials: TokenCredentials?
    /// X's numeric id, as the token endpoint named it over our own signed call.
    package let userID: String?
    package let screenName: String?
}

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
