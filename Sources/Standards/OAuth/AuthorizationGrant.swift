internal import JOSE
internal import OpenSSL

/// An authorization code with the values that its redemption must repeat (RFC 6749 §4.1.3).
///
/// It cannot be copied, because a code may be used once (§4.1.2).
package struct AuthorizationGrant: ~Copyable, Sendable {
    package let code: Secret
    package let redirectURI: String
    /// The PKCE verifier; `nil` only if the configuration disables PKCE for the provider.
    package let codeVerifier: CodeVerifier?

    package init(code: Secret, redirectURI: String, codeVerifier: CodeVerifier?) {
        self.code = code
        self.redirectURI = redirectURI
        self.codeVerifier = codeVerifier
    }
}

/// The secret that proves that the client redeeming a code is the one that requested it (RFC 7636 §4.1).
package struct CodeVerifier: Sendable {
    package let secret: Secret

    /// Returns `nil` unless `text` has 43 to 128 characters, all of them unreserved (RFC 7636 §4.1).
    package init?(_ text: String) {
        guard (43...128).contains(text.utf8.count), text.utf8.allSatisfy(PercentEncoding.isUnreserved) else {
            return nil
        }
        secret = Secret(text)
    }

    /// Makes a verifier of 43 characters from 32 random octets, as RFC 7636 §4.1 recommends.
    package init(random: RandomSource) throws(RandomFailure) {
        secret = Secret(Base64URL.encode(try random.bytes(32)))
    }

    /// The `code_challenge` of the method `S256`, the only supported one (RFC 7636 §4.2).
    package var challenge: String {
        Base64URL.encode(SHA256.hash(Array(secret.secretText.utf8)))
    }
}
