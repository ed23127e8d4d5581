package import Providers
package import Standards

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
    package let userID: Subject?
    package let screenName: String?
    /// What the answer has in another form than the standard demands, and what is not used because of it; `nil` if nothing.
    package let deviation: ProviderFailure?
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
    /// The type of the access token, if it is another one than Bearer, so that the token may be left out.
    package let deviation: ProviderFailure?

    init(_ tokens: ProviderTokens) {
        idToken = tokens.idToken
        accessToken = tokens.accessToken
        refreshToken = tokens.refreshToken
        expiresIn = tokens.expiresIn
        scope = tokens.scope
        deviation = tokens.deviation
    }
}
