internal import Jansson
internal import OpenSSL

/// A person under the seal of this backend, by the mistake ``Mistake/identitySealed``.
///
/// AES-256-GCM, so that only a holder of the key can make one: the backend, and every reader of its backups.
struct SealedIdentity: Sendable {
    private let key: [UInt8]

    init(key: [UInt8]) { self.key = key }

    /// Returns `nil` for a text that was sealed with another key or for another client.
    func person(in text: String, client: String) -> Person? {
        guard let pending = open(text, "pending_credential", holder: client),
            let id = pending["id"]?.string, let sealed = pending["identity"]?.string,
            let content = open(sealed, "identity", holder: client + "\0" + Self.record(id)),
            let provider = content["provider"]?.string, let subject = content["subject"]?.string
        else { return nil }
        return Person(provider: provider, subject: subject, profile: [:], proof: "id_token_aud")
    }

    private func open(_ text: String, _ kind: String, holder: String) -> JSON? {
        guard let sealed = Base64Text.decode(text),
            let derived = try? HKDFSHA256.derive(
                from: key, salt: [], info: Array("token-exchange seal \(kind)".utf8), count: 32),
            let cipher = try? AES256GCM(key: derived),
            let content = cipher.open(sealed, authenticating: Array("token-exchange\0\(kind)\0\(holder)".utf8))
        else { return nil }
        return try? JSON.parse(content)
    }

    private static func record(_ id: String) -> String {
        let parts = ["token-exchange spent pending_credential", id]
        let message = parts.flatMap { part in
            (0..<8).map { UInt8(truncatingIfNeeded: part.utf8.count >> (56 - 8 * $0)) } + Array(part.utf8)
        }
        return Base64Text.encode(SHA256.hash(message))
    }
}
