/// Words that more than one provider's section knows.
extension Settings {
    /// What shows that a person has logged in again.
    package enum Reauthentication: String, Sendable, CaseIterable {
        case authTime = "auth_time"
        /// For a provider that does not send `auth_time`: it is enough that a fresh login was requested.
        case prompt
    }

    /// When a profile is fetched that takes a call of its own.
    package enum ProfileRule: String, Sendable, CaseIterable {
        case always
        case firstSignIn = "first_sign_in"
    }

    /// RFC 7636, towards the provider.
    package enum PKCE: String, Sendable, CaseIterable {
        case off
        case s256 = "S256"
    }

    /// Whether an e-mail address counts as verified.
    package enum EmailTrust: String, Sendable, CaseIterable {
        /// Where `email_verified` says so.
        case claim
        case always
        case never
    }

    /// Types of credentials that `POST /v1/exchange` takes.
    ///
    /// `callback` and `pending` are not switched.
    package enum CredentialType: String, Sendable, CaseIterable {
        case authorizationCode = "authorization_code"
        case idToken = "id_token"
        case oauth1Token = "oauth1_token"
        case accessToken = "access_token"
    }

    /// What the nonce of an ID token that an application posts is compared with.
    package enum NonceRule: String, Sendable, CaseIterable {
        /// `POST /v1/nonce` made it.
        case server
        /// The application made it; the token holds its SHA-256.
        case client
        /// The application made it; the token holds it as it is.
        case clientPlain = "client_plain"
    }

    /// How we authenticate at the token endpoint (OpenID Connect Core §9).
    package enum TokenEndpointAuthentication: String, Sendable, CaseIterable {
        case clientSecretBasic = "client_secret_basic"
        case clientSecretPost = "client_secret_post"
        /// A public client, which has no secret.
        case none
    }
}
