/// One ECDSA signature in its two spellings: r‖s, as JOSE writes it, and DER, as libcrypto does.
struct P256Signature {
    /// Big-endian, 32 bytes.
    private let r: [UInt8]
    private let s: [UInt8]

    /// Nil unless there are exactly 64 bytes (RFC 7518 §3.4).
    init?(fixedWidth bytes: [UInt8]) {
        guard bytes.count == 64 else { return nil }
        r = Array(bytes.prefix(32))
        s = Array(bytes.suffix(32))
    }

    /// Nil unless these are two positive integers of at most 256 bits in one SEQUENCE with nothing after it.
    init?(der: [UInt8]) {
        // All lengths are below 128, hence one byte each: two integers have 70 bytes at most.
        guard der.count >= 2, der[0] == 0x30, Int(der[1]) == der.count - 2 else { return nil }
        var rest = der.dropFirst(2)
        guard let r = Self.integer(&rest), let s = Self.integer(&rest), rest.isEmpty else { return nil }
        self.r = r
        self.s = s
    }

    var fixedWidth: [UInt8] { r + s }

    /// RFC 3279 §2.2.3: `SEQUENCE { r INTEGER, s INTEGER }`.
    var der: [UInt8] {
        let content = Self.integer(r) + Self.integer(s)
        return [0x30, UInt8(content.count)] + content
    }

    private static func integer(_ number: [UInt8]) -> [UInt8] {
        var digits = number.withoutLeadingZeros
        // X.690 §8.3: the first bit is the sign, and there is at least one octet.
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }

    private static func integer(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.popFirst() == 0x02, let count = rest.popFirst(), count >= 1, rest.count >= Int(count) else {
            return nil
        }
        let digits = Array(rest.prefix(Int(count))).withoutLeadingZeros
        rest = rest.dropFirst(Int(count))
        guard digits.count <= 32 else { return nil }
        return [UInt8](repeating: 0, count: 32 - digits.count) + digits
    }
}
