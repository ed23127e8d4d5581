internal import Settings

/// The file of `attack --target`: what the attack runner may do to a server that it did not start.
struct AttackTarget: Sendable, Equatable {
    /// The hosts that may be attacked, besides loopback.
    let hosts: [String]
    let clientID: String
    /// Another application of the same server; `nil` skips the attacks that need one.
    let otherClientID: String?
    let provider: String
    /// The redirect URI of the browser flow.
    let redirectURI: String
    /// The redirect URI of `POST /v1/signin` and of codes.
    let providerRedirectURI: String
    /// The origin of the application's web pages.
    let origin: String?
    let requestsPerSecond: Int
    let maximumRequests: Int
    /// A genuine ID token of the provider for this deployment.
    ///
    /// The run uses it up.
    let idToken: SecretValue?
    let nonceVerifier: SecretValue?
    /// An ID token that the provider issued to another application.
    let foreignIDToken: SecretValue?
    /// An access token of the provider.
    let accessToken: SecretValue?
}

extension AttackTarget {
    static let keys = [
        "hosts", "client_id", "other_client_id", "provider", "redirect_uri", "provider_redirect_uri", "origin",
        "requests_per_second", "max_requests", "id_token", "nonce_verifier", "foreign_id_token", "access_token",
    ]

    /// Reads the file.
    ///
    /// It reports all problems at once and then returns `nil`.
    static func read(_ root: Entry) -> AttackTarget? {
        let file = Section(root, keys: keys)
        let hosts = file["hosts"]?.list { $0.text() } ?? []
        let clientID = file.required("client_id", "write the id of a registered application")?.text()
        let redirectURI = file.required("redirect_uri", "write one that the application registered")?.redirectURI(
            allowsUnowned: true)
        let providerRedirectURI = file["provider_redirect_uri"]?.redirectURI(allowsUnowned: true)
        let idToken = file["id_token"]?.secret()
        let nonceVerifier = file["nonce_verifier"]?.secret()
        if (idToken == nil) != (nonceVerifier == nil) {
            file.refuse(idToken == nil ? "id_token" : "nonce_verifier", "is missing: write both, or neither")
        }
        guard let clientID, let redirectURI else { return nil }
        return AttackTarget(
            hosts: hosts, clientID: clientID, otherClientID: file["other_client_id"]?.text(),
            provider: file["provider"]?.text() ?? "yahoo.com", redirectURI: redirectURI,
            providerRedirectURI: providerRedirectURI ?? redirectURI, origin: file["origin"]?.origin(),
            requestsPerSecond: file["requests_per_second"]?.integer(in: 1...100) ?? 5,
            maximumRequests: file["max_requests"]?.integer(in: 1...100_000) ?? 2000, idToken: idToken,
            nonceVerifier: nonceVerifier, foreignIDToken: file["foreign_id_token"]?.secret(),
            accessToken: file["access_token"]?.secret())
    }
}
