internal import Jansson
internal import LabSystem
internal import OpenSSL

/// A key pair of the attack: the attacker's, or the provider's if the attack acts as the provider.
struct OwnKey: Sendable {
    private enum Pair: Sendable {
        case p256(P256PrivateKey)
        case rsa(RSAPrivateKey)
    }

    private let pair: Pair
    let keyID: String?

    static func p256(_ keyID: String?) throws -> OwnKey {
        OwnKey(pair: .p256(try P256PrivateKey.generate()), keyID: keyID)
    }

    /// - `other`: Whether to return the second key. Generating RSA keys is slow, so all attacks share two.
    static func rsa(_ keyID: String?, other: Bool = false) throws -> OwnKey {
        OwnKey(pair: .rsa(try (other ? otherRSA : usualRSA).get()), keyID: keyID)
    }

    private static let usualRSA = Result { try RSAPrivateKey.generate() }
    private static let otherRSA = Result { try RSAPrivateKey.generate() }

    var algorithm: String {
        switch pair {
        case .p256: "ES256"
        case .rsa: "RS256"
        }
    }

    /// Returns the public key as a JWK (RFC 7517 §4 and RFC 7518 §6).
    var members: [String: JSON] {
        var members: [String: JSON] = ["use": "sig", "alg": .string(algorithm)]
        members["kid"] = keyID.map { .string($0) }
        let numbers: [(String, [UInt8])]
        switch pair {
        case .p256(let key):
            members["kty"] = "EC"
            members["crv"] = "P-256"
            numbers = [("x", key.publicKey.x), ("y", key.publicKey.y)]
        case .rsa(let key):
            members["kty"] = "RSA"
            numbers = [("n", key.publicKey.modulus), ("e", key.publicKey.exponent)]
        }
        for (name, number) in numbers { members[name] = .string(Base64.urlEncode(number)) }
        return members
    }

    /// Returns the public key as a JWK with changed members; null removes a member.
    func jwk(_ changes: [String: JSON] = [:]) -> JSON {
        .object(members.merging(changes) { $1 }.filter { $0.value != .null })
    }

    func signature(for message: [UInt8]) throws -> [UInt8] {
        switch pair {
        case .p256(let key): try key.signature(for: message)
        case .rsa(let key): try key.signature(for: message)
        }
    }

    /// Sets this key as the draft's signing key, and its key id in the header.
    func sign(_ draft: inout TokenDraft) {
        draft.header["alg"] = .text(algorithm)
        draft.header["kid"] = keyID.map { .text($0) }
        draft.key = .custom { try signature(for: $0) }
    }

    /// A self-signed certificate in base64 of DER, as in `x5c` (RFC 7515 §4.1.6); `nil` for EC.
    func certificate(now: Int64) throws -> String? {
        guard case .rsa(let key) = pair else { return nil }
        let pem = try key.selfSignedCertificate(
            commonName: "api.login.yahoo.com", serialNumber: 1, notBefore: now - 3600, notAfter: now + 3600)
        return pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
    }
}

extension JSON {
    /// Returns a JWK set (RFC 7517 §5).
    static func keySet(_ keys: [JSON]) -> JSON { ["keys": .array(keys)] }

    var text: String { String(decoding: serialized(), as: UTF8.self) }
}

extension Forged {
    init(_ json: JSON) { self = .raw(json.text) }
}
