/// A public key on the curve P-256 as text: SubjectPublicKeyInfo (RFC 5480 §2) in PEM (RFC 7468 §13).
package enum PublicKeyPEM {
    /// As `openssl` writes it, with the final line feed; the coordinates have 32 bytes each.
    package static func text(x: [UInt8], y: [UInt8]) -> String {
        let prefix: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
            0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
        ]
        let text = Base64.encode(prefix + x + y)
        // 91 bytes are 124 characters: one full line of 64, and the rest.
        return "-----BEGIN PUBLIC KEY-----\n\(text.prefix(64))\n\(text.dropFirst(64))\n-----END PUBLIC KEY-----\n"
    }
}
