/// An OAuth 2.0 authorization server without OpenID Connect, and our registration with it.
///
/// Identity is read from a user endpoint, which answers for a token of any application; only a token that we redeemed
/// ourselves may be shown to it.
package final class OAuth2: Sendable {
    package let clientID: String
    package let clientAuthentication: ClientAuthentication
    package let scopes: [String]
    /// Without these the user endpoint does not answer.
    package let requiredScopes: Set<String>
    package let authorizationEndpoint: String
    /// Nil if nothing in the authorization request makes the person log in again.
    package let freshLogin: FreshLogin?
    package let tokenEndpoint: String
    /// RFC 7009.
    package let revocationEndpoint: String?
    package let user: UserEndpoint
    package let errorCodes: ErrorCodes

    package init(
        clientID: String, clientAuthentication: ClientAuthentication, scopes: [String], requiredScopes: Set<String>,
        authorizationEndpoint: String, freshLogin: FreshLogin?, tokenEndpoint: String, revocationEndpoint: String?,
        user: UserEndpoint, errorCodes: ErrorCodes
    ) {
        self.clientID = clientID
        self.clientAuthentication = clientAuthentication
        self.scopes = scopes
        self.requiredScopes = requiredScopes
        self.authorizationEndpoint = authorizationEndpoint
        self.freshLogin = freshLogin
        self.tokenEndpoint = tokenEndpoint
        self.revocationEndpoint = revocationEndpoint
        self.user = user
        self.errorCodes = errorCodes
    }
}
