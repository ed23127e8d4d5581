import Jansson

/// What a refresh token stands for.
struct GoogleSession: Sendable {
    let localID: String
    let tenantID: String?
    /// `custom`, `anonymous` or `password`.
    let provider: String
    /// Those of the custom token, at the top of every ID token of the session.
    let developerClaims: [String: JSON]
    /// When the person signed in.
    let authTime: Int64
}
