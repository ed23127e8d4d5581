internal import Settings

/// What the attack runner may do to a server that it did not start: the file of `attack --target`.
struct AttackTarget: Sendable, Equatable {
    /// Hosts that may be attacked; loopback may be without being named.
    let hosts: [String]
    let clientID: String
    /// Another application of the same server; nil leaves out what needs one.
    let otherClientID: String?
    let provider: String
    /// Of the browser flow.
    let redirectURI: String
    /// Of `POST /v1/signin` and of codes.
    let providerRedirectURI: String
    /// From which the application's pages may ask.
    let origin: String?
    let requestsPerSecond: Int
    let maximumRequests: Int
    /// A genuine ID token of the provider for this deployment, with its nonce verifier; the run uses it up.
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

    /// Reads all keys before it gives up, so that every problem is found in one go.
    static func read(_ root: Entry) -> AttackTarget? {
        let file = Section(root, keys: keys)
        let hosts = file["hosts"]?.list { $0.text() } ?? []
        let clientID = file.required("client_id", "write the id of a registered application")?.text()
        let redirectURI = file.required("redirect_uri", "write one that the application registered")?.redirectURI()
        let providerRedirectURI = file["provider_redirect_uri"]?.redirectURI()
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
