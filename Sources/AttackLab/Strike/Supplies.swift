/// Credentials that the tester supplies for a server without stand-ins.
package struct Supplies: Sendable {
    /// A Firebase ID token of the project.
    package var bearer: String?
    /// ID tokens with their nonce verifiers, of which each is used once.
    package var idTokens: [(idToken: String, nonceVerifier: String)] = []
    package var accessToken: String?

    package init() {}
}
