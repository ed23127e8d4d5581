/// Writes public keys as SubjectPublicKeyInfo (RFC 5280 §4.1) in PEM (RFC 7468 §13), with a final line feed.
package enum PublicKeyPEM {
    /// A key on the curve P-256 (RFC 5480 §2), with coordinates of 32 bytes each.
    package static func text(x: [UInt8], y: [UInt8]) -> String {
        let prefix: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
            0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
        ]
        return text(prefix + x + y)
    }

    /// An RSA key (RFC 3279 §2.3.1); both numbers are big-endian without leading zeros.
    package static func text(modulus: [UInt8], exponent: [UInt8]) -> String {
        // The object identifier rsaEncryption, and NULL.
        let algorithm: [UInt8] = [
            0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
        ]
        let key = element(sequence, integer(modulus) + integer(exponent))
        return text(element(sequence, algorithm + element(bitString, [0] + key)))
    }

    // MARK: - DER (X.690)

    private static let sequence: UInt8 = 0x30
    private static let bitString: UInt8 = 0x03

    private static func integer(_ number: [UInt8]) -> [UInt8] {
        // X.690 §8.3: two's complement, so a leading one bit would make it negative.
        element(0x02, number.first.map { $0 >= 0x80 } ?? true ? [0] + number : number)
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        // X.690 §8.1.3.5: the long form starts with the number of length octets.
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }

    private static func text(_ der: [UInt8]) -> String {
        var lines = "-----BEGIN PUBLIC KEY-----\n"
        var rest = Base64.encode(der)[...]
        while !rest.isEmpty {
            lines += rest.prefix(64) + "\n"
            rest = rest.dropFirst(64)
        }
        return lines + "-----END PUBLIC KEY-----\n"
    }
}
