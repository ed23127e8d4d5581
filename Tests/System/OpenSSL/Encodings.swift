import Foundation

/// One value of a DER text (X.690 §8), with those inside it where it is constructed.
struct DER {
    /// Tag, length and contents.
    let bytes: [UInt8]
    let contents: [UInt8]
    let children: [DER]

    var text: String { String(decoding: contents, as: UTF8.self) }

    /// A value around all that the PEM block holds.
    init?(pem: String) {
        let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        guard let data = Data(base64Encoded: lines.joined()) else { return nil }
        let all = Array(data)
        self.init(bytes: all, contents: all, children: Self.values(all[...]))
    }

    private init(bytes: [UInt8], contents: [UInt8], children: [DER]) {
        self.bytes = bytes
        self.contents = contents
        self.children = children
    }

    private static func values(_ bytes: ArraySlice<UInt8>) -> [DER] {
        var values: [DER] = []
        var rest = bytes
        while rest.count >= 2 {
            let tag = rest[rest.startIndex]
            let first = rest[rest.startIndex + 1]
            let octets = first < 0x80 ? 0 : Int(first & 0x7f)
            let start = rest.startIndex + 2 + octets
            let count = octets == 0 ? Int(first) : rest[(start - octets)..<start].reduce(0) { $0 << 8 | Int($1) }
            let contents = rest[start..<(start + count)]
            // X.690 §8.1.2.5: bit 6 of the tag says that the value is constructed.
            values.append(
                DER(
                    bytes: Array(rest[..<(start + count)]), contents: Array(contents),
                    children: tag & 0x20 == 0 ? [] : Self.values(contents)))
            rest = rest[(start + count)...]
        }
        return values
    }
}

/// `"00ff"` → `[0, 255]`; white space between the digits is passed over.
func bytes(hexadecimal text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    precondition(digits.count.isMultiple(of: 2))
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
}
