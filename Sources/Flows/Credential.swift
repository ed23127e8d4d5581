package import OAuth

/// What an application submits to prove an identity.
package enum Credential: Sendable {
    /// A code that the application obtained by itself. `codeVerifier` and `nonce` as the provider's registration asks.
    case authorizationCode(code: Secret, redirectURI: String, codeVerifier: Secret?, nonce: Secret?)
    case idToken(UnverifiedIDToken, nonce: Secret, accessToken: AccessToken?)
    /// `nonce` may be absent only on the way to being told that it is missing, as in ``accessToken(_:nonce:)``.
    case oauth1Token(TokenCredentials, nonce: Secret?)
    case accessToken(AccessToken, nonce: Secret?)
    /// Ends what ``Corridor/begin(_:)`` began.
    case callback(session: Secret, callbackURL: Secret)
    /// Stands for one that ended in a conflict.
    case pending(Secret)

    package var type: CredentialType {
        switch self {
        case .authorizationCode: .authorizationCode
        case .idToken: .idToken
        case .oauth1Token: .oauth1Token
        case .accessToken: .accessToken
        case .callback: .callback
        case .pending: .pending
        }
    }
}
