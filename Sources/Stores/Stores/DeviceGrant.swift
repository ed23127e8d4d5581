package import JOSE

/// A device that waits for somebody to sign it in (RFC 8628).
package struct DeviceGrant: Sendable {
    /// SHA-256 of the user code, 32 octets.
    package let userCodeDigest: [UInt8]
    package let client: String
    /// Nil: the person chooses.
    package let provider: String?
    package let scopes: [String]
    package let expiresAt: NumericDate

    package init(
        userCodeDigest: [UInt8], client: String, provider: String?, scopes: [String], expiresAt: NumericDate
    ) {
        self.userCodeDigest = userCodeDigest
        self.client = client
        self.provider = provider
        self.scopes = scopes
        self.expiresAt = expiresAt
    }
}
