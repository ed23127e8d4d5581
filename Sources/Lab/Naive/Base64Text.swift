internal import Foundation

/// base64url without padding (RFC 4648 section 5).
enum Base64Text {
    static func encode(_ bytes: [UInt8]) -> String {
        String(
            Data(bytes).base64EncodedString().compactMap { character -> Character? in
                switch character {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: character
                }
            })
    }

    /// Nil for any other spelling than that of ``encode(_:)``.
    static func decode(_ text: String) -> [UInt8]? {
        guard let bytes = decodeLeniently(text), encode(bytes).utf8.elementsEqual(text.utf8) else { return nil }
        return bytes
    }

    /// Takes either alphabet, with padding or without, with anything between the characters.
    static func decodeLeniently(_ text: String) -> [UInt8]? {
        var values: [UInt8] = []
        for octet in text.utf8 {
            switch octet {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): values.append(octet - 65)
            case UInt8(ascii: "a")...UInt8(ascii: "z"): values.append(octet - 71)
            case UInt8(ascii: "0")...UInt8(ascii: "9"): values.append(octet + 4)
            case UInt8(ascii: "-"), UInt8(ascii: "+"): values.append(62)
            case UInt8(ascii: "_"), UInt8(ascii: "/"): values.append(63)
            default: break
            }
        }
        var bytes: [UInt8] = []
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for value in values {
            bits = (bits << 6 | UInt32(value)) & 0xFFFF
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return bytes
    }
}
