internal import Jansson
internal import OpenSSL

/// A key of a provider's set (RFC 7517), good for one algorithm.
enum PublicKey: Sendable {
    case p256(P256PublicKey)
    case rsa(RSAPublicKey)

    /// Nil for what is not a public key that signs with ES256 or RS256.
    init?(_ json: JSON) {
        guard json["use"] == nil || json["use"] == .string("sig"), json["d"] == nil, json["k"] == nil else {
            return nil
        }
        func octets(_ name: String) -> [UInt8]? { json[name]?.string.flatMap(Base64Text.decode) }
        switch json["kty"]?.string {
        case "EC":
            guard json["crv"] == .string("P-256"), let x = octets("x"), let y = octets("y"),
                let key = try? P256PublicKey(x: x, y: y)
            else { return nil }
            self = .p256(key)
        case "RSA":
            guard let modulus = octets("n"), let exponent = octets("e"),
                let key = try? RSAPublicKey(modulus: modulus, exponent: exponent)
            else { return nil }
            self = .rsa(key)
        default:
            return nil
        }
        guard json["alg"] == nil || json["alg"] == .string(algorithm) else { return nil }
    }

    var algorithm: String {
        switch self {
        case .p256: "ES256"
        case .rsa: "RS256"
        }
    }

    func verifies(_ token: SignedToken) -> Bool {
        let message = Array(token.signingInput.utf8)
        return switch self {
        case .p256(let key): key.isValid(signature: token.signature, for: message)
        case .rsa(let key): key.isValid(signature: token.signature, for: message)
        }
    }

    /// SubjectPublicKeyInfo in PEM, as one finds it in a file (RFC 5280 section 4.1.2.7).
    var pem: String {
        let der: [UInt8]
        switch self {
        case .p256(let key):
            let algorithm: [UInt8] = [
                0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE,
                0x3D, 0x03, 0x01, 0x07,
            ]
            der = Self.tagged(0x30, algorithm + Self.tagged(0x03, [0x00, 0x04] + key.x + key.y))
        case .rsa(let key):
            let algorithm: [UInt8] = [
                0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
            ]
            let numbers = Self.tagged(0x02, [0x00] + key.modulus) + Self.tagged(0x02, key.exponent)
            der = Self.tagged(0x30, algorithm + Self.tagged(0x03, [0x00] + Self.tagged(0x30, numbers)))
        }
        return PEMText.write("PUBLIC KEY", der)
    }

    private static func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            count < 0x80
            ? [UInt8(count)] : count < 0x100 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
        return [tag] + length + content
    }
}
