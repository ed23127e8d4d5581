/// Where an OpenID Provider's parts stand.
package struct OpenIDConnectEndpoints: Sendable, Equatable {
    /// Accepted values of `iss`: one, or two while a provider is moving.
    package let issuers: [String]
    package let authorization: String
    package let token: String
    package let userInfo: String?
    package let jwks: String
    package let introspection: String?
    /// RFC 7009.
    package let revocation: String?
    /// Whether authorization responses carry `iss` (RFC 9207 §3).
    package let sendsIssuer: Bool

    package init(
        issuers: [String], authorization: String, token: String, userInfo: String?, jwks: String,
        introspection: String?, revocation: String?, sendsIssuer: Bool
    ) {
        self.issuers = issuers
        self.authorization = authorization
        self.token = token
        self.userInfo = userInfo
        self.jwks = jwks
        self.introspection = introspection
        self.revocation = revocation
        self.sendsIssuer = sendsIssuer
    }
}
