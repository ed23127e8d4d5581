internal import OpenSSL

enum AccessTokenDigest {
    /// What `at_hash` is made of where a token is signed by ES256 or RS256 (OIDC Core §3.1.3.6).
    static func sha256(_ token: String) -> [UInt8] { SHA256.hash(Array(token.utf8)) }
}
