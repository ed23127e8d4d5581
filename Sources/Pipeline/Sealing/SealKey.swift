internal import OpenSSL

/// 32 octets, from which the key of each kind is derived.
package struct SealingKey<Use: SealUse>: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private let secret: [UInt8]

    /// Returns nil unless there are exactly 32 octets.
    package init?(_ octets: [UInt8]) {
        guard octets.count == 32 else { return nil }
        secret = octets
    }

    package var description: String { "[secret elided]" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }

    func cipher(for kind: Use.Kind) throws(OpenSSLError) -> AES256GCM {
        let key = try HKDFSHA256.derive(
            from: secret, salt: [], info: Array((Use.keyLabel + kind.rawValue).utf8), count: 32)
        do {
            return try AES256GCM(key: key)
        } catch {
            preconditionFailure("HKDF gave the 32 octets that were asked for.")
        }
    }
}
