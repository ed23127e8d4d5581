internal import JOSE

/// A sealing key of 32 bytes, which interpolation, `print` and `dump` do not show.
package struct SealKeySecret: Sendable, Equatable {
    package let secretBytes: [UInt8]
    package let source: SecretValue.Source
}

extension SealKeySecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "[secret elided]" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Entry {
    func sealKey() -> SealKeySecret? {
        guard let secret = secret() else { return nil }
        let text = secret.secretText
        // `openssl rand -base64 32` writes ordinary base64 with padding.
        guard let bytes = try? Base64URL.decode(anySpelling: text), bytes.count == 32 else {
            let isHexadecimal = text.utf8.count % 2 == 0 && text.allSatisfy(\.isHexDigit)
            let found =
                isHexadecimal
                ? "is \(text.utf8.count / 2) bytes in hexadecimal"
                : (try? Base64URL.decode(anySpelling: text)).map { "is \($0.count) bytes" }
                    ?? "is \(text.count) characters that are not base64"
                    + (text.hasSuffix("%") ? " (zsh shows % after an output without a line break)" : "")
            return refusing(
                "\(found), and must be 32 bytes in base64url (43 characters, or 44 with =), as token-exchange keys create and "
                    + "openssl rand -base64 32 make them")
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
