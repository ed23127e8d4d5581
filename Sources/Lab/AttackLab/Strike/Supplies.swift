/// Credentials that the tester supplies for a server without stand-ins.
package struct Supplies: Sendable {
    /// A genuine ID token for this server and the verifier of its nonce.
    let idToken: (token: String, nonceVerifier: String)?
    /// An ID token that the provider issued to another application.
    let foreignIDToken: String?
    /// An access token of the provider.
    let accessToken: String?

    package init(
        idToken: (token: String, nonceVerifier: String)?, foreignIDToken: String?, accessToken: String?
    ) {
        self.idToken = idToken
        self.foreignIDToken = foreignIDToken
        self.accessToken = accessToken
    }
}
