package import OAuth

/// The provider's own tokens, on their way back to the application that the person signed in to.
package struct ReturnedTokens: Sendable {
    package let accessToken: Secret?
    package let idToken: Secret?
    package let refreshToken: Secret?
    package let oauthTokenSecret: Secret?
    /// Seconds.
    package let expiresIn: Int64?
    package let scope: String?
}
