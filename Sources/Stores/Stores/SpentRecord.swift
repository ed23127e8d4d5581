package import JOSE
internal import OpenSSL

/// What is remembered of a credential that was used: a hash, and for how long.
package struct SpentRecord: Sendable, Hashable {
    package let kind: SpentKind
    /// SHA-256, 32 bytes, over a label of the kind and all parts, each with its length before it.
    package let digest: [UInt8]
    /// From this second on the record may be forgotten: the credential's own expiry plus the skew that is allowed.
    package let expiresAt: NumericDate
    /// When the credential was issued, in whole seconds; nil if its second use is refused without this record.
    ///
    /// An authorization code is refused by its provider; what stands for a row of the store is refused without that
    /// row.
    package let issuedAt: NumericDate?

    /// Only the hash of `parts` is kept.
    ///
    /// - Parameters:
    ///   - kind: says which parts are asked for.
    ///   - parts: their order and their borders count: `["ab", "c"]` and `["a", "bc"]` are two credentials.
    ///   - issuedAt: when the credential was issued; nil if its second use is refused without this record.
    ///   - expiresAt: not before the last second in which the credential could be accepted.
    package init(_ kind: SpentKind, of parts: [[UInt8]], issuedAt: NumericDate?, expiresAt: NumericDate) {
        self.kind = kind
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        var message: [UInt8] = []
        for part in [Array("token-exchange spent \(kind.rawValue)".utf8)] + parts {
            // Eight bytes of length, the most significant first.
            for shift in stride(from: 56, through: 0, by: -8) {
                message.append(UInt8(truncatingIfNeeded: part.count >> shift))
            }
            message += part
        }
        digest = SHA256.hash(message)
    }
}
