internal import JOSE
internal import OpenSSL

/// The preimage that proves who began the request (RFC 7636 §4.1).
package struct CodeVerifier: Sendable {
    package let secret: Secret

    /// Nil unless `text` has 43 to 128 characters, all of them unreserved (RFC 7636 §4.1).
    package init?(_ text: String) {
        guard (43...128).contains(text.utf8.count), text.utf8.allSatisfy(PercentEncoding.isUnreserved) else {
            return nil
        }
        secret = Secret(text)
    }

    /// A fresh one of 43 characters, from 32 random octets as RFC 7636 §4.1 recommends.
    package init(random: RandomSource) throws(RandomFailure) {
        secret = Secret(Base64URL.encode(try random.bytes(32)))
    }

    /// The `code_challenge` of method `S256`, the only method we use (RFC 7636 §4.2).
    package var challenge: String {
        Base64URL.encode(SHA256.hash(Array(secret.secretText.utf8)))
    }
}
