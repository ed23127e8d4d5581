internal import Foundation

/// Percent-encoding: it writes RFC 3986 and reads form encoding.
enum Percent {
    static func encode(_ text: String) -> String {
        text.utf8.map { octet in
            isUnreserved(octet) ? String(UnicodeScalar(octet)) : "%" + (octet < 16 ? "0" : "") + hexadecimal(octet)
        }.joined()
    }

    /// Returns `nil` for an invalid escape sequence, and for bytes that are not UTF-8.
    static func decode(_ text: Substring) -> String? {
        var octets: [UInt8] = []
        var rest = text.utf8[...]
        while let octet = rest.popFirst() {
            guard octet == UInt8(ascii: "%") else {
                octets.append(octet == UInt8(ascii: "+") ? UInt8(ascii: " ") : octet)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
                let value = UInt8(String(Substring(digits)), radix: 16)
            else { return nil }
            octets.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: octets, as: UTF8.self)
    }

    /// RFC 3986 section 2.3.
    static func isUnreserved(_ octet: UInt8) -> Bool {
        Character(UnicodeScalar(octet)).isASCII
            && (Character(UnicodeScalar(octet)).isLetter || Character(UnicodeScalar(octet)).isNumber
                || "-._~".utf8.contains(octet))
    }

    private static func hexadecimal(_ octet: UInt8) -> String { String(octet, radix: 16, uppercase: true) }
}

/// Encodes and decodes base64url without padding (RFC 4648 section 5).
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

    /// Decodes only the exact output of ``encode(_:)``; returns `nil` for any other text.
    static func decode(_ text: String) -> [UInt8]? {
        guard let bytes = decodeLeniently(text), encode(bytes).utf8.elementsEqual(text.utf8) else { return nil }
        return bytes
    }

    /// Decodes either alphabet, with or without padding, and ignores all other characters.
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

/// Writes PEM (RFC 7468): base64 in lines of 64 characters between two labels.
enum PEMText {
    static func write(_ label: String, _ der: [UInt8]) -> String {
        let text = Data(der).base64EncodedString()
        var lines = ["-----BEGIN \(label)-----"]
        var rest = text[...]
        while !rest.isEmpty {
            lines.append(String(rest.prefix(64)))
            rest = rest.dropFirst(64)
        }
        lines.append("-----END \(label)-----\n")
        return lines.joined(separator: "\n")
    }
}
