package import OAuth

/// An OAuth 1.0a server, and our registration with it (RFC 5849).
package final class OAuth1: Sendable {
    package let client: ClientCredentials
    /// RFC 5849 §2.1.
    package let temporaryCredentialsEndpoint: String
    /// Further parameters of the first request, such as X's `x_auth_access_type`.
    package let temporaryCredentialsParameters: [String: String]
    /// RFC 5849 §2.2.
    package let authorizationEndpoint: String
    /// Its parameters stand in the request of RFC 5849 §2.2.
    package let freshLogin: FreshLogin?
    /// RFC 5849 §2.3.
    package let tokenEndpoint: String
    /// Says who the token credentials speak for, and only under the signature of the consumer they were issued to.
    package let credentialsCheck: UserEndpoint
    /// Asked if the check is refused for reasons of price or access tier; it proves the same, and brings no address.
    package let fallback: UserEndpoint
    package let errorCodes: ErrorCodes

    package init(
        client: ClientCredentials, temporaryCredentialsEndpoint: String,
        temporaryCredentialsParameters: [String: String], authorizationEndpoint: String,
        freshLogin: FreshLogin?, tokenEndpoint: String, credentialsCheck: UserEndpoint, fallback: UserEndpoint,
        errorCodes: ErrorCodes
    ) {
        self.client = client
        self.temporaryCredentialsEndpoint = temporaryCredentialsEndpoint
        self.temporaryCredentialsParameters = temporaryCredentialsParameters
        self.authorizationEndpoint = authorizationEndpoint
        self.freshLogin = freshLogin
        self.tokenEndpoint = tokenEndpoint
        self.credentialsCheck = credentialsCheck
        self.fallback = fallback
        self.errorCodes = errorCodes
    }
}
