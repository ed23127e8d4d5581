/// Whether two texts are the same, code point by code point.
///
/// Swift's `==` takes canonically equivalent texts for one, "\u{212A}" (KELVIN SIGN) and "K" for instance. RFC 7515
/// §5.3: "Unicode Normalization MUST NOT be applied at any point".
func exactlyEqual(_ a: String, _ b: String) -> Bool {
    a.utf8.elementsEqual(b.utf8)
}

/// An identifier: two are equal if their UTF-8 octets are.
///
/// Swift's equality of `String` takes canonically equivalent texts for one, so that a KELVIN SIGN and the letter K
/// would name the same client.
package protocol OctetIdentifier: Sendable, Hashable, CustomStringConvertible {
    var text: String { get }
}

extension OctetIdentifier {
    package static func == (one: Self, other: Self) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    package func hash(into hasher: inout Hasher) {
        for octet in text.utf8 { hasher.combine(octet) }
    }

    package var description: String { text }
}

extension String {
    /// Unicode's general category Cc, whose 65 characters are the same in all its versions.
    var hasControlCharacter: Bool {
        unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }

    var isBlank: Bool {
        unicodeScalars.allSatisfy(\.properties.isWhitespace)
    }
}
