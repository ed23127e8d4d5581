package import JOSE
package import Standards

/// An OpenID Provider, and the registration of this deployment with it.
package final class OpenIDConnect: Sendable {
    /// The client id of this server at the provider, which `aud` must contain.
    package let clientID: String
    /// Further accepted audiences of posted ID tokens, such as the client id of a phone application.
    package let furtherClientIDs: [String]
    package let clientAuthentication: ClientAuthentication
    package let scopes: [String]
    package let pkce: ProofKeyMethod
    /// The algorithms that ID tokens may be signed with (RFC 8725 §3.1).
    package let algorithms: Set<Algorithm>
    package let endpoints: Endpoints
    package let keys: CachedDocument<JWKSet>
    package let nonceRule: NonceRule
    /// The maximum age of a posted ID token, by `iat`.
    package let maximumAge: Duration
    package let clockSkew: Duration
    /// The maximum time between `iat` and `exp` of an ID token.
    package let maximumLifetime: Duration
    package let freshLogin: FreshLogin

    package init(
        clientID: String, furtherClientIDs: [String], clientAuthentication: ClientAuthentication, scopes: [String],
        pkce: ProofKeyMethod, algorithms: Set<Algorithm>, endpoints: @escaping Endpoints, keys: CachedDocument<JWKSet>,
        nonceRule: NonceRule, maximumAge: Duration, clockSkew: Duration, maximumLifetime: Duration,
        freshLogin: FreshLogin
    ) {
        self.clientID = clientID
        self.furtherClientIDs = furtherClientIDs
        self.clientAuthentication = clientAuthentication
        self.scopes = scopes
        self.pkce = pkce
        self.algorithms = algorithms
        self.endpoints = endpoints
        self.keys = keys
        self.nonceRule = nonceRule
        self.maximumAge = maximumAge
        self.clockSkew = clockSkew
        self.maximumLifetime = maximumLifetime
        self.freshLogin = freshLogin
    }

    /// Returns the same registration with another setting of PKCE.
    ///
    /// An operator compares both settings with it: only a sign-in shows which of them a provider accepts.
    package func with(_ pkce: ProofKeyMethod) -> OpenIDConnect {
        OpenIDConnect(
            clientID: clientID, furtherClientIDs: furtherClientIDs, clientAuthentication: clientAuthentication,
            scopes: scopes, pkce: pkce, algorithms: algorithms, endpoints: endpoints, keys: keys, nonceRule: nonceRule,
            maximumAge: maximumAge, clockSkew: clockSkew, maximumLifetime: maximumLifetime, freshLogin: freshLogin)
    }

    /// Returns the endpoints, which are configured or discovered.
    package typealias Endpoints = @Sendable () async throws(DocumentError) -> OpenIDConnectEndpoints
}

/// Whether authorization requests carry a `code_challenge` (RFC 7636).
package enum ProofKeyMethod: Sendable, Equatable {
    case s256
    /// No challenge is sent, for a provider that refuses it. Nonce and state then bind the flow (RFC 9700 §4.5.3.2).
    case off
}

/// How the `nonce` of a posted ID token is compared with the nonce that the application posts.
package enum NonceRule: String, Sendable, CaseIterable {
    /// The application posts the sealed verifier of `POST /v1/nonce`; the token contains its SHA-256.
    case server
    /// The application posts its own value; the token contains its SHA-256 in base64url or lower-case hexadecimal.
    case client
    /// The application posts its own value, which the token contains unchanged.
    case clientPlain = "client_plain"
}

/// The issuers and endpoints of an OpenID Provider.
package struct OpenIDConnectEndpoints: Sendable, Equatable {
    /// The accepted values of `iss`: usually one, and two while a provider changes its issuer.
    package let issuers: [String]
    package let authorization: String
    package let token: String
    package let userInfo: String?
    package let jwks: String
    package let introspection: String?
    /// The revocation endpoint (RFC 7009).
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
