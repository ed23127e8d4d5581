package import OAuth

/// A credential of one provider, posted by one client.
package struct ExchangeRequest: Sendable {
    package let client: ClientID
    package let provider: ProviderID
    package let credential: Credential

    package init(client: ClientID, provider: ProviderID, credential: Credential) {
        self.client = client
        self.provider = provider
        self.credential = credential
    }
}

/// A credential with which an application proves an identity.
package enum Credential: Sendable {
    /// A code that the application obtained by itself. The registration at the provider decides whether `codeVerifier` and
    /// `nonce` are required.
    case authorizationCode(code: Secret, redirectURI: String, codeVerifier: Secret?, nonce: Secret?)
    case idToken(UnverifiedIDToken, nonce: Secret, accessToken: AccessToken?)
    /// A missing `nonce` is refused later, as in ``accessToken(_:nonce:)``.
    case oauth1Token(TokenCredentials, nonce: Secret?)
    case accessToken(AccessToken, nonce: Secret?)
    /// The end of a flow that ``DirectSignIn/begin(_:for:)`` began.
    case callback(session: Secret, callbackURL: Secret)
    /// A pending credential, which stands for a credential that ended in a conflict.
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
