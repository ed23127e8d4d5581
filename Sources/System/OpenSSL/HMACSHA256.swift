/// RFC 2104 with SHA-256.
///
/// Codes are compared with ``constantTimeEqual(_:_:)``.
package enum HMACSHA256 {
    package static func authenticationCode(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        FetchedDigest.sha256.authenticationCode(for: message, key: key)
    }
}
