/// Whether two texts are the same, code point by code point.
///
/// Swift's `==` takes canonically equivalent texts for one, "K" (KELVIN SIGN) and "K" for instance. RFC 7515 §5.3: "Unicode
/// Normalization MUST NOT be applied at any point".
func exactlyEqual(_ a: String, _ b: String) -> Bool {
    a.utf8.elementsEqual(b.utf8)
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
