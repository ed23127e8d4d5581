package import Documents
package import JOSE
internal import OAuth

/// An OpenID Provider, and our registration with it.
package final class OpenIDConnect: Sendable {
    /// Ours, towards the provider: what `aud` must name.
    package let clientID: String
    /// Further audiences whose posted ID tokens are ours, such as the phone application's own client id.
    package let furtherClientIDs: [String]
    package let clientAuthentication: ClientAuthentication
    package let scopes: [String]
    package let pkce: ProofKeyMethod
    /// What ID tokens may be signed with.
    ///
    /// The token's header never widens it (RFC 8725 §3.1).
    package let algorithms: Set<Algorithm>
    package let endpoints: Endpoints
    package let keys: CachedDocument<JWKSet>
    package let nonceRule: NonceRule
    /// How old `iat` of a posted ID token may be.
    package let maximumAge: Duration
    package let clockSkew: Duration
    /// What may lie between `iat` and `exp` of an ID token.
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

    /// Where the provider's parts stand: written down, or discovered.
    package typealias Endpoints = @Sendable () async throws(DocumentError) -> OpenIDConnectEndpoints
}

/// Whether authorization requests carry a `code_challenge` (RFC 7636).
package enum ProofKeyMethod: Sendable, Equatable {
    case s256
    /// Only for a provider that refuses it; nonce and state then bind the flow (RFC 9700 §4.5.3.2).
    case off
}

/// How the `nonce` of a posted ID token is compared with what the application posts beside it.
package enum NonceRule: String, Sendable, Equatable {
    /// It came from `POST /v1/nonce`: a sealed verifier whose SHA-256 the token holds.
    case server
    /// A value of the application's, whose SHA-256 the token holds in base64url or lower-case hexadecimal.
    case client
    /// A value of the application's, which the token holds as it is.
    case clientPlain = "client_plain"
}
