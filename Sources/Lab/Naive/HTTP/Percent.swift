/// Percent-encoding: RFC 3986 when it writes, forms when it reads.
enum Percent {
    static func encode(_ text: String) -> String {
        text.utf8.map { octet in
            isUnreserved(octet) ? String(UnicodeScalar(octet)) : "%" + (octet < 16 ? "0" : "") + hexadecimal(octet)
        }.joined()
    }

    /// Nil for a broken escape, and for what is not UTF-8.
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
