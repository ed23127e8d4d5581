/// A sign-in in a browser, from `/authorize` to the callback.
struct Flow: Sendable {
    /// What the application asked for.
    struct Request: Sendable {
        let client: Client
        let redirectURI: String
        let state: String?
        let challenge: Challenge?
        let provider: String?
        let scopes: [String]
        let further: [(name: String, value: String)]
    }

    /// What is on its way at the provider.
    struct Leg: Sendable {
        let provider: String
        let nonce: String
        let codeVerifier: String
    }

    let request: Request
    /// Nil as long as a person has not chosen.
    let leg: Leg?
    /// What the browser that began it holds.
    let cookie: String
    let expiresAt: Int64
}
