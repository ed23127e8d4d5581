internal import JOSE
internal import Jansson
internal import OpenSSL

/// What a sealed value is for.
///
/// A value of one kind never opens as another.
package enum SealedKind: String, Sendable {
    case nonce
    case session
}

/// State that travels with the application, so that beginning a flow writes nothing to the store.
///
/// AES-256-GCM under a key for each kind (HKDF), with the kind and the client as associated data; in canonical base64url,
/// so that one value has one spelling.
package struct Seal: Sendable {
    private let keys: [SealKey]

    /// - Parameter keys: The first seals, all open; at least one.
    package init(keys: [SealKey]) {
        precondition(!keys.isEmpty, "There is a key to seal with.")
        self.keys = keys
    }

    func seal(_ content: JSON, as kind: SealedKind, for client: String) throws(OpenSSLError) -> String {
        let sealed = try keys[0].cipher(for: kind)
            .seal(content.serialized(), authenticating: associatedData(kind, client))
        return Base64URL.encode(sealed)
    }

    /// Nil for anything that we did not seal as this kind for this client, and for more than 8 KiB.
    func open(_ text: String, as kind: SealedKind, for client: String) -> JSON? {
        guard text.utf8.count <= 8192, let sealed = try? Base64URL.decode(text) else { return nil }
        for key in keys {
            if let cipher = try? key.cipher(for: kind),
                let content = cipher.open(sealed, authenticating: associatedData(kind, client))
            {
                return try? JSON.parse(content)
            }
        }
        return nil
    }

    private func associatedData(_ kind: SealedKind, _ client: String) -> [UInt8] {
        Array("token-exchange\0\(kind.rawValue)\0\(client)".utf8)
    }
}

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
