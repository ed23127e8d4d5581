/// The encoding base64url of RFC 4648 §5, without padding, as RFC 7515 §2 requires it.
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The six bits that each octet of the alphabet stands for; 0xff for every other octet.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xff, count: 256)
        for (value, octet) in alphabet.enumerated() { values[Int(octet)] = UInt8(value) }
        return values
    }()

    package static func encode(_ bytes: [UInt8]) -> String {
        let alphabet = alphabet
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4)
        var (read, written) = (0, 0)
        // RFC 4648 §4: three octets are a group of 24 bits. An incomplete group is filled with zero bits.
        while read < bytes.count {
            var group = UInt32(bytes[read]) << 16
            if read + 1 < bytes.count { group |= UInt32(bytes[read + 1]) << 8 }
            if read + 2 < bytes.count { group |= UInt32(bytes[read + 2]) }
            text[written] = alphabet[Int(group >> 18)]
            text[written + 1] = alphabet[Int(group >> 12 & 0x3f)]
            text[written + 2] = alphabet[Int(group >> 6 & 0x3f)]
            text[written + 3] = alphabet[Int(group & 0x3f)]
            read += 3
            written += 4
        }
        // RFC 7515 §2: "with all trailing '=' characters omitted".
        return String(decoding: text.prefix((bytes.count * 4 + 2) / 3), as: UTF8.self)
    }

    /// Decodes the one spelling that ``encode(_:)`` writes, and refuses every other spelling of the same bytes.
    ///
    /// - Throws: ``JOSEError/malformedBase64URL`` for padding, white space, any other character, an impossible length,
    ///   and for set bits after the last byte (RFC 4648 §3.5).
    package static func decode(_ text: String) throws(JOSEError) -> [UInt8] {
        try decode(Array(text.utf8)[...])
    }

    /// Decodes base64url or ordinary base64 (RFC 4648 §4), with or without padding.
    ///
    /// It is for public values that providers write against the standard, the numbers of a key and `at_hash`, and for keys
    /// that an operator made with another program. A part of a token has one spelling only.
    package static func decode(anySpelling text: String) throws(JOSEError) -> [UInt8] {
        var octets = Array(text.utf8)
        if octets.count % 4 == 0 {
            for _ in 0..<2 where octets.last == UInt8(ascii: "=") { octets.removeLast() }
        }
        for (index, octet) in octets.enumerated() {
            if octet == UInt8(ascii: "+") { octets[index] = UInt8(ascii: "-") }
            if octet == UInt8(ascii: "/") { octets[index] = UInt8(ascii: "_") }
        }
        return try decode(octets[...])
    }

    static func decode(_ text: ArraySlice<UInt8>) throws(JOSEError) -> [UInt8] {
        guard text.count % 4 != 1 else { throw .malformedBase64URL }
        let values = values
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var bits: UInt32 = 0
        var bitCount = 0
        for octet in text {
            let value = values[Int(octet)]
            guard value != 0xff else { throw .malformedBase64URL }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            }
        }
        // RFC 4648 §3.5 allows to "reject an encoding if the pad bits have not been set to zero". Otherwise the same bytes
        // would have up to sixteen spellings.
        guard bits & (1 << UInt32(bitCount) - 1) == 0 else { throw .malformedBase64URL }
        return bytes
    }
}
