/// Whether two texts are the same, code point by code point.
///
/// Swift's `==` takes canonically equivalent texts for one, "K" (KELVIN SIGN) and "K" for instance. RFC 7515 §5.3: "Unicode
/// Normalization MUST NOT be applied at any point".
func exactlyEqual(_ a: String, _ b: String) -> Bool {
    a.utf8.elementsEqual(b.utf8)
}

extension String {
    var hasControlCharacter: Bool {
        unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    var isBlank: Bool {
        unicodeScalars.allSatisfy(\.properties.isWhitespace)
    }
}
