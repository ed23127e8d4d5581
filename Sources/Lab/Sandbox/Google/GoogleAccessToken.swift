/// An OAuth 2.0 access token of a service account.
struct GoogleAccessToken: Sendable {
    let account: GoogleServiceAccount
    let scopes: Set<String>
    let expiresAt: Int64
}

/// The scopes that open something here (Google's list of OAuth 2.0 scopes).
enum GoogleScope {
    static let prefix = "https://www.googleapis.com/auth/"
    static let cloudPlatform = prefix + "cloud-platform"
    static let identityToolkit = prefix + "identitytoolkit"
    static let firebase = prefix + "firebase"
}
