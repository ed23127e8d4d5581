internal import JOSE
package import Jansson
package import OpenSSL

/// Seals and opens JSON values of one use.
///
/// AES-256-GCM under a key for each kind (HKDF), with the kind and the holder as associated data; in canonical
/// base64url, so that one value has one spelling.
package struct Sealer<Use: SealUse>: Sendable {
    private let keys: [SealingKey<Use>]

    /// - Parameter keys: The first seals, all open; at least one.
    package init(keys: [SealingKey<Use>]) {
        precondition(!keys.isEmpty, "There is a key to seal with.")
        self.keys = keys
    }

    /// - `holder`: to whom the value is bound, usually a client; the same must be named to open it.
    package func seal(
        _ content: JSON, as kind: Use.Kind, for holder: String
    ) throws(OpenSSLError) -> String {
        let sealed = try keys[0].cipher(for: kind)
            .seal(content.serialized(), authenticating: associatedData(kind, holder))
        return Base64URL.encode(sealed)
    }

    /// Returns nil for anything that was not sealed as this kind for this holder, and for text longer than `limit`
    /// octets.
    package func open(_ text: String, as kind: Use.Kind, for holder: String, upTo limit: Int = 8192) -> JSON? {
        guard text.utf8.count <= limit, let sealed = try? Base64URL.decode(text) else { return nil }
        for key in keys {
            if let cipher = try? key.cipher(for: kind),
                let content = cipher.open(sealed, authenticating: associatedData(kind, holder))
            {
                return try? JSON.parse(content, maximumBytes: limit)
            }
        }
        return nil
    }

    private func associatedData(_ kind: Use.Kind, _ holder: String) -> [UInt8] {
        Array("token-exchange\0\(kind.rawValue)\0\(holder)".utf8)
    }
}
