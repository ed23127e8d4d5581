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
    /// What makes the person sign in anew, in the request of RFC 5849 §2.2.
    package let freshSignInParameters: [String: String]
    /// RFC 5849 §2.3.
    package let tokenEndpoint: String
    /// Says who the token credentials speak for, and only under the signature of the consumer they were issued to.
    package let credentialsCheck: UserEndpoint
    /// Asked where the check is refused for reasons of price or access tier; it proves the same.
    package let fallback: UserEndpoint

    package init(
        client: ClientCredentials, temporaryCredentialsEndpoint: String,
        temporaryCredentialsParameters: [String: String], authorizationEndpoint: String,
        freshSignInParameters: [String: String], tokenEndpoint: String, credentialsCheck: UserEndpoint,
        fallback: UserEndpoint
    ) {
        self.client = client
        self.temporaryCredentialsEndpoint = temporaryCredentialsEndpoint
        self.temporaryCredentialsParameters = temporaryCredentialsParameters
        self.authorizationEndpoint = authorizationEndpoint
        self.freshSignInParameters = freshSignInParameters
        self.tokenEndpoint = tokenEndpoint
        self.credentialsCheck = credentialsCheck
        self.fallback = fallback
    }
}
