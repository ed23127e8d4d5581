package import Providers
package import Standards
package import Stores

/// The tokens that a provider issued for a grant, which this server redeemed with its own client credentials.
///
/// Only this target makes them: the memberwise initializer is internal. A value of this type therefore proves that the
/// tokens were issued to this server's client.
package struct ProviderTokens: Sendable {
    package let provider: ProviderID
    package let idToken: UnverifiedIDToken?
    package let accessToken: AccessToken?
    package let refreshToken: RefreshToken?
    /// The lifetime of the access token, in seconds.
    package let expiresIn: Int64?
    package let scope: String?
    /// Only with OAuth 1.0a, as the members below.
    package let tokenCredentials: TokenCredentials?
    /// X's numeric user id, from the token endpoint's response to a request that this server signed.
    package let userID: String?
    package let screenName: String?
}

/// The tokens that a provider issued for a refresh token, by this server's client credentials.
///
/// They are no ``ProviderTokens``, because a refresh token does not show that its person is present: nothing signs in by
/// them. Only this target makes them.
package struct FreshTokens: Sendable {
    package let idToken: UnverifiedIDToken?
    package let accessToken: AccessToken?
    package let refreshToken: RefreshToken?
    /// The lifetime of the access token, in seconds.
    package let expiresIn: Int64?
    package let scope: String?

    init(_ tokens: ProviderTokens) {
        idToken = tokens.idToken
        accessToken = tokens.accessToken
        refreshToken = tokens.refreshToken
        expiresIn = tokens.expiresIn
        scope = tokens.scope
    }
}

/// Why there are no provider tokens.
package enum ExchangeError: Error, Equatable, Sendable {
    /// This code, or this OAuth 1.0a request token, cannot be used.
    case singleUse(SingleUseError)
    /// The provider refuses the code: it is wrong, expired, used, or bound to another redirect URI or verifier.
    case codeRejected
    /// The provider refuses the refresh token: it is wrong, expired, revoked or used, or belongs to another client.
    case refreshTokenRejected
    /// The provider issues no refresh tokens to this server's client, because it has only OAuth 1.0a.
    case refreshUnsupported
    case provider(ProviderFailure)
    case random(RandomFailure)
}

/// An error of the exchange; unspent if the provider did not take the code, and its record was given back.
package typealias ExchangeFailure = StepFailure<ExchangeError>
