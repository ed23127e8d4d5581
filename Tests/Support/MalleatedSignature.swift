internal import JOSE

/// A second valid signature, computed from the first without the key.
///
/// If (r, s) is an ECDSA signature, (r, n − s) verifies as well.
package enum MalleatedSignature {
    /// The order of the base point of P-256 (FIPS 186-4, D.1.2.3).
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    /// Returns the token with the second signature.
    package static func of(_ token: String) throws -> String {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        let signature = try Base64URL.decode(String(parts[2]))
        let rewritten = Array(signature.prefix(32)) + difference(order, Array(signature.suffix(32)))
        return parts[0] + "." + parts[1] + "." + Base64URL.encode(rewritten)
    }

    /// Subtracts big-endian numbers of 32 octets; the first must be the larger one.
    private static func difference(_ minuend: [UInt8], _ subtrahend: [UInt8]) -> [UInt8] {
        var result = minuend
        var borrow = 0
        for index in minuend.indices.reversed() {
            let digit = Int(minuend[index]) - Int(subtrahend[index]) - borrow
            borrow = digit < 0 ? 1 : 0
            result[index] = UInt8(digit + borrow * 256)
        }
        return result
    }
}
