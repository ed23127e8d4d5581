/// A sealing key of 32 bytes, which interpolation, `print` and `dump` do not show.
package struct SealKeySecret: Sendable, Equatable {
    package let secretBytes: [UInt8]
    package let source: SecretValue.Source

    static let byteCount = 32
}

extension SealKeySecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "[secret elided]" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The text form of a sealing key: base64url without padding (RFC 4648 §5).
enum SealKeyText {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Returns `nil` unless the text is the canonical form of exactly ``SealKeySecret/byteCount`` bytes.
    static func decode(_ text: String) -> [UInt8]? {
        guard text.utf8.count == (SealKeySecret.byteCount * 8 + 5) / 6 else { return nil }
        var bytes: [UInt8] = []
        var (buffer, bits) = (UInt32(0), 0)
        for letter in text.utf8 {
            guard let value = alphabet.firstIndex(of: letter) else { return nil }
            buffer = buffer << 6 | UInt32(value)
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            buffer &= (1 << UInt32(bits)) - 1
        }
        // RFC 4648 §3.5: pad bits MUST be zero.
        return buffer == 0 ? bytes : nil
    }
}

extension Entry {
    func sealKey() -> SealKeySecret? {
        guard let secret = secret() else { return nil }
        guard let bytes = SealKeyText.decode(secret.secretText) else {
            return refusing(
                "must be 32 bytes in base64url without padding: openssl rand -base64 32 | tr '+/' '-_' | tr -d '='")
        }
        guard !Placeholder.matches(key: bytes) else { return refusing("is an example key: create a random one") }
        return SealKeySecret(secretBytes: bytes, source: secret.source)
    }
}

extension Rule<[SealKeySecret]> {
    static var sealKeys: Self {
        Self(
            { $0.list { $0.sealKey() } },
            write: { $0.isEmpty ? "created beside the store" : $0.map(\.source.elided).inList })
    }
}
