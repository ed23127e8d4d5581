/// RFC 2104 with SHA-1: the signature method of OAuth 1.0a (RFC 5849 §3.4.2).
package enum HMACSHA1 {
    package static func authenticationCode(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        FetchedDigest.sha1.authenticationCode(for: message, key: key)
    }
}
