/// Percent-encoding (RFC 3986 §2.1) in the strict form that RFC 5849 §3.6 requires.
package enum PercentEncoding {
    /// Encodes every octet of the UTF-8 form as `%XX` in upper case, except unreserved characters.
    package static func encode(_ text: String) -> String {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.utf8.count)
        for octet in text.utf8 {
            if isUnreserved(octet) {
                encoded.append(octet)
            } else {
                encoded += [UInt8(ascii: "%"), hexadecimal(octet >> 4), hexadecimal(octet & 15)]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Decodes a text.
    ///
    /// - Parameter plusIsSpace: `true` for `application/x-www-form-urlencoded`.
    /// - Returns: The text, or `nil` if two hexadecimal digits do not follow a `%`, or if the octets are not UTF-8.
    package static func decode(_ text: some StringProtocol, plusIsSpace: Bool) -> String? {
        var decoded: [UInt8] = []
        var octets = text.utf8.makeIterator()
        while let octet = octets.next() {
            switch octet {
            case UInt8(ascii: "%"):
                guard
                    let high = octets.next().flatMap(value(ofHexadecimal:)),
                    let low = octets.next().flatMap(value(ofHexadecimal:))
                else { return nil }
                decoded.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace:
                decoded.append(UInt8(ascii: " "))
            default:
                decoded.append(octet)
            }
        }
        return String(validating: decoded, as: UTF8.self)
    }

    /// Returns whether an octet is an unreserved character (RFC 3986 §2.3).
    package static func isUnreserved(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8 {
        digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10
    }

    private static func value(ofHexadecimal digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
