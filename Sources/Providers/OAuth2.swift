/// An OAuth 2.0 authorization server without OpenID Connect, and our registration with it.
///
/// Identity is read from a user endpoint, which answers for a token of any application; only a token that we redeemed
/// ourselves may be shown to it.
package struct OAuth2: Sendable {
    package let clientID: String
    package let clientAuthentication: ClientAuthentication
    package let scopes: [String]
    /// Without these the user endpoint does not answer.
    package let requiredScopes: Set<String>
    package let authorizationEndpoint: String
    package let tokenEndpoint: String
    package let user: UserEndpoint

    package init(
        clientID: String, clientAuthentication: ClientAuthentication, scopes: [String], requiredScopes: Set<String>,
        authorizationEndpoint: String, tokenEndpoint: String, user: UserEndpoint
    ) {
        self.clientID = clientID
        self.clientAuthentication = clientAuthentication
        self.scopes = scopes
        self.requiredScopes = requiredScopes
        self.authorizationEndpoint = authorizationEndpoint
        self.tokenEndpoint = tokenEndpoint
        self.user = user
    }
}
