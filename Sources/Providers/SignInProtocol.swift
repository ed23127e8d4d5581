package import Standards

/// The sign-in protocols.
///
/// Code may switch on a protocol, and never on a provider.
package enum SignInProtocol: Sendable {
    case openIDConnect(OpenIDConnect)
    case oauth2(OAuth2)
    case oauth1(OAuth1)

    /// How to request a new login; `nil` if this provider does not support it with this protocol.
    package var freshLogin: FreshLogin? {
        switch self {
        case .openIDConnect(let openIDConnect): openIDConnect.freshLogin
        case .oauth2(let oauth2): oauth2.freshLogin
        case .oauth1(let oauth1): oauth1.freshLogin
        }
    }
}

/// How an authorization request makes the person log in again, and what proves that this happened.
package struct FreshLogin: Sendable, Equatable {
    /// The parameters to add to the authorization request.
    package let parameters: [String: String]
    package let evidence: Evidence

    /// The proof that the person logged in again.
    package enum Evidence: String, Sendable, CaseIterable {
        /// The claim `auth_time` of the ID token. A token without it is no proof (OpenID Connect Core §3.1.3.7).
        case authenticationTime = "auth_time"
        /// Only the parameters of the request: the provider does not send the time of the login.
        case prompt
    }

    /// Requests a new login by `prompt=login` and `max_age=0` (OpenID Connect Core §3.1.2.1).
    ///
    /// With `max_age`, the provider must send the claim `auth_time`.
    package static func openIDConnect(_ evidence: Evidence) -> Self {
        Self(parameters: ["max_age": "0", "prompt": "login"], evidence: evidence)
    }
}

/// An OAuth 1.0a server (RFC 5849), and the registration of this deployment with it.
package struct OAuth1: Sendable {
    package let client: ClientCredentials
    /// The URL of RFC 5849 §2.1.
    package let temporaryCredentialsEndpoint: String
    /// Further parameters of the first request, such as X's `x_auth_access_type`.
    package let temporaryCredentialsParameters: [String: String]
    /// The URL of RFC 5849 §2.2.
    package let authorizationEndpoint: String
    /// How to request a new login; its parameters belong to the request of RFC 5849 §2.2.
    package let freshLogin: FreshLogin?
    /// The URL of RFC 5849 §2.3.
    package let tokenEndpoint: String
    /// The endpoint that returns the person that token credentials belong to.
    ///
    /// It accepts them only in a request that is signed by the consumer that they were issued to.
    package let credentialsCheck: UserEndpoint
    /// The endpoint to call if the access tier does not include ``credentialsCheck``.
    ///
    /// It proves the same, but returns no e-mail address.
    package let fallback: UserEndpoint
    package let errorCodes: ErrorCodes
}
