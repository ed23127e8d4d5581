import OpenSSL

/// Puts header, payload and signature together (RFC 7515 §3.1), rightly or wrongly.
struct IDTokenSigner {
    let key: P256PrivateKey
    let foreignKey: P256PrivateKey

    func token(header: [UInt8], payload: [UInt8], _ kind: IDTokenDefect.Signature) throws(OpenSSLError) -> String {
        let input = Base64.encodeForURL(header) + "." + Base64.encodeForURL(payload)
        let message = Array(input.utf8)
        let signature =
            switch kind {
            case .own: try key.signature(for: message)
            case .foreign: try foreignKey.signature(for: message)
            case .hs256:
                HMACSHA256.authenticationCode(for: message, key: Array(Self.publicPEM(of: key.publicKey).utf8))
            case .none: [UInt8]()
            case .malleated: Self.malleated(try key.signature(for: message))
            }
        return input + "." + Base64.encodeForURL(signature)
    }

    /// (r, s) as (r, n − s).
    private static func malleated(_ signature: [UInt8]) -> [UInt8] {
        var difference = order
        var borrow: Int16 = 0
        for index in order.indices.reversed() {
            let digit = Int16(order[index]) - Int16(signature[32 + index]) - borrow
            borrow = digit < 0 ? 1 : 0
            difference[index] = UInt8(truncatingIfNeeded: digit)
        }
        return signature.prefix(32) + difference
    }

    /// `n` of P-256 (SP 800-186 §3.2.1.3).
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    /// SubjectPublicKeyInfo (RFC 5480 §2) as `openssl` writes it, with the final line feed.
    static func publicPEM(of key: P256PublicKey) -> String {
        let prefix: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
            0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
        ]
        let text = Base64.encode(prefix + key.x + key.y)
        // 91 bytes are 124 characters: one full line of 64, and the rest.
        return "-----BEGIN PUBLIC KEY-----\n\(text.prefix(64))\n\(text.dropFirst(64))\n-----END PUBLIC KEY-----\n"
    }
}
