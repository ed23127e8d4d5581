/// The second ECDSA signature that stands for the same message under the same key.
package enum MalleatedSignature {
    /// (r, n − s) for (r, s), of 32 bytes each, on the curve P-256; asked twice, the first again.
    ///
    /// - Precondition: `signature` has 64 bytes.
    package static func other(than signature: [UInt8]) -> [UInt8] {
        precondition(signature.count == 64, "A signature on P-256 is r and s, 32 bytes each (RFC 7518 §3.4).")
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
}
