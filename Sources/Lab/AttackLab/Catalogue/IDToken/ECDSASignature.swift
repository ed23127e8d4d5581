/// Signatures of ES256, taken apart and put together again.
enum ECDSASignature {
    /// `n` of the curve (SP 800-186 §3.2.1.3).
    static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    /// Returns (r, n − s) for (r, s): each valid signature yields a second one.
    static func other(than signature: [UInt8]) -> [UInt8] {
        guard signature.count == 64 else { return signature }
        return signature.prefix(32) + difference(order, Array(signature.suffix(32)))
    }

    /// 0, 1, n − 1 and n, of 32 bytes each.
    static let edges: [[UInt8]] = {
        let zero = [UInt8](repeating: 0, count: 32)
        let one: [UInt8] = zero.dropLast() + [1]
        return [zero, one, difference(order, one), order]
    }()

    /// ECDSA-Sig-Value of RFC 3279 §2.2.3, which is not what a JWS has (RFC 7518 §3.4).
    static func der(_ signature: [UInt8]) -> [UInt8] {
        let numbers = [signature.prefix(32), signature.dropFirst(32)].flatMap { number -> [UInt8] in
            let digits = Array(number.drop { $0 == 0 })
            let padded = digits.first.map { $0 >= 0x80 } ?? true ? [0] + digits : digits
            return [0x02, UInt8(padded.count)] + padded
        }
        return [0x30, UInt8(numbers.count)] + numbers
    }

    private static func difference(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
        var result = a
        var borrow: Int16 = 0
        for index in a.indices.reversed() {
            let digit = Int16(a[index]) - Int16(b[index]) - borrow
            borrow = digit < 0 ? 1 : 0
            result[index] = UInt8(truncatingIfNeeded: digit)
        }
        return result
    }
}

extension TokenSpelling {
    /// The token with other octets as its signature.
    static func signature(of token: String, _ change: ([UInt8]) -> [UInt8]) -> String {
        replacing(2, of: token) { Base64.urlEncode(change(Base64.urlDecode($0) ?? [])) }
    }

    /// One part with bits set behind its last octet, which decode to nothing: all such spellings but the one it has.
    static func tails(_ text: String) -> [String] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        guard let last = text.last, let place = alphabet.firstIndex(of: last) else { return [] }
        let unused = text.count % 4 == 2 ? 16 : text.count % 4 == 3 ? 4 : 1
        return (0..<unused).filter { $0 != place % unused }.map {
            text.dropLast() + String(alphabet[place / unused * unused + $0])
        }
    }
}

extension TokenDraft {
    mutating func alterSignature(_ change: @escaping @Sendable ([UInt8]) -> [UInt8]) {
        finish = { TokenSpelling.signature(of: $0, change) }
    }
}
