/// A request token of OAuth 1.0a, on its way to become an access token.
struct XRequestToken: Sendable {
    let secret: String
    let consumerKey: String
    let callback: String
    let expiresAt: Int64
    /// Set when a person allowed it.
    var approval: (user: SandboxUser, verifier: String)?
}

/// An access token of OAuth 1.0a, which does not expire.
struct XOAuth1Token: Sendable {
    let secret: String
    let consumerKey: String
    let user: SandboxUser
}

/// What a person allowed an application under OAuth 2.0.
struct XGrant: Sendable {
    let clientID: String
    let user: SandboxUser
    let scopes: [String]
}

struct XCode: Sendable {
    let grant: XGrant
    let redirectURI: String
    let codeChallenge: XCodeChallenge
    let expiresAt: Int64
}

struct XAccessToken: Sendable {
    let grant: XGrant
    let expiresAt: Int64
}
