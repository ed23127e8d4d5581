import Foundation

/// A value of a DER encoding (X.690 §8), with the values inside it if it is constructed.
struct DER {
    /// The bytes of tag, length and contents.
    let bytes: [UInt8]
    let contents: [UInt8]
    let children: [DER]

    var text: String { String(decoding: contents, as: UTF8.self) }

    /// Parses a PEM block into a value that contains all values of the block.
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
            // X.690 §8.1.2.5: bit 6 of the tag is set if the value is constructed.
            values.append(
                DER(
                    bytes: Array(rest[..<(start + count)]), contents: Array(contents),
                    children: tag & 0x20 == 0 ? [] : Self.values(contents)))
            rest = rest[(start + count)...]
        }
        return values
    }
}
