/// A browser flow on its way.
struct Flow: Sendable {
    let browser: Browser
    let codeVerifier: String
    /// The application's own.
    let state: String
    let redirectURI: String
    let clientID: String
    /// At the provider, with the provider's `state`.
    let authorizationURL: String

    var providerState: String? {
        PercentEncoding.parameters(authorizationURL.drop { $0 != "?" }.dropFirst()).first { $0.name == "state" }?.value
    }
}
