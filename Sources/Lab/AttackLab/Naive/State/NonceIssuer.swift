internal import Foundation
internal import OpenSSL

/// Issues nonces to applications that obtain ID tokens themselves: the provider receives the hash of the verifier.
///
/// Nothing is stored until a nonce is used: the verifier contains its expiry and an authentication code.
struct NonceIssuer: Sendable {
    static let lifetime: Int64 = 600

    private let environment: BackendEnvironment
    private let key: [UInt8]

    /// It uses the same key, as in a backend with one secret for everything.
    var seal: SealedIdentity { SealedIdentity(key: key) }

    init(_ environment: BackendEnvironment) throws {
        self.environment = environment
        let path = environment.folder + "/key"
        if let bytes = FileManager.default.contents(atPath: path), bytes.count == 32 {
            key = Array(bytes)
        } else {
            key = try SecureRandom.bytes(32)
            _ = FileManager.default.createFile(
                atPath: path, contents: Data(key), attributes: [.posixPermissions: 0o600])
        }
    }

    func issue(client: String, provider: String) throws(Refusal) -> (nonce: String, verifier: String) {
        let id: [UInt8]
        do {
            id = try SecureRandom.bytes(16)
        } catch {
            throw .broken
        }
        let expiry = environment.now + Self.lifetime
        let head = id + (0..<8).map { UInt8(truncatingIfNeeded: expiry >> (56 - 8 * $0)) }
        let verifier = Base64Text.encode(head + code(head, client, provider))
        return (Self.nonce(of: verifier), verifier)
    }

    /// Verifies a nonce verifier and returns the name under which it is recorded as used.
    func name(of verifier: String, client: String, provider: String) throws(Refusal) -> String {
        guard let bytes = Base64Text.decode(verifier), bytes.count == 56 else { throw .nonceMismatch }
        let head = Array(bytes.prefix(24))
        guard constantTimeEqual(code(head, client, provider), Array(bytes.suffix(32))) else { throw .nonceMismatch }
        let expiry = head.suffix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard environment.now < expiry else { throw .expired }
        return BackendEnvironment.digest("nonce", verifier)
    }

    static func nonce(of verifier: String) -> String { Base64Text.encode(SHA256.hash(Array(verifier.utf8))) }

    private func code(_ head: [UInt8], _ client: String, _ provider: String) -> [UInt8] {
        HMACSHA256.authenticationCode(for: Array("\(client)\0\(provider)\0".utf8) + head, key: key)
    }
}
