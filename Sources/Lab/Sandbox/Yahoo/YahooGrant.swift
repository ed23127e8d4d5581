/// What a person allowed an application at Yahoo.
struct YahooGrant: Sendable {
    /// The application's client id.
    let clientID: String
    let user: SandboxUser
    let scopes: [String]
    let nonce: String?
    /// When the person signed in; nil unless `max_age` was asked for.
    let authTime: Int64?
}

/// A code that waits to be redeemed, once.
struct YahooCode: Sendable {
    let grant: YahooGrant
    let redirectURI: String
    let codeChallenge: String?
    let expiresAt: Int64
}

struct YahooAccessToken: Sendable {
    let grant: YahooGrant
    let issuedAt: Int64
    let expiresAt: Int64
    /// The refresh token that came with it; revoking one revokes the other.
    let refreshToken: String
}

struct YahooRefreshToken: Sendable {
    let grant: YahooGrant
    let redirectURI: String
    var uses = 0
}
