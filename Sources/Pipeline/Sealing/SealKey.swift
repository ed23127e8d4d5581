internal import OpenSSL

/// 32 octets, from which the key of each kind is derived.
package struct SealKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let secret: [UInt8]

    /// Nil unless there are exactly 32 octets.
    package init?(_ octets: [UInt8]) {
        guard octets.count == 32 else { return nil }
        secret = octets
    }

    package var description: String { "[secret elided]" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }

    func cipher(for kind: SealedKind) throws(OpenSSLError) -> AES256GCM {
        let key = try HKDFSHA256.derive(
            from: secret, salt: [], info: Array("token-exchange seal \(kind.rawValue)".utf8), count: 32)
        do {
            return try AES256GCM(key: key)
        } catch {
            preconditionFailure("HKDF gave the 32 octets that were asked for.")
        }
    }
}
