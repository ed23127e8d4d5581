/// An authorization code with all that must be repeated when it is redeemed (RFC 6749 §4.1.3).
///
/// It cannot be copied: a code is good for one attempt (§4.1.2).
package struct AuthorizationGrant: ~Copyable, Sendable {
    package let code: Secret
    package let redirectURI: String
    /// Nil only where the provider's registration has PKCE switched off.
    package let codeVerifier: CodeVerifier?

    package init(code: Secret, redirectURI: String, codeVerifier: CodeVerifier?) {
        self.code = code
        self.redirectURI = redirectURI
        self.codeVerifier = codeVerifier
    }
}
