import Octets

/// The id of a key in a set (RFC 7515 §4.1.4): 1 to 256 octets, which the peer chooses.
///
/// It is only compared. It never becomes part of a path, a query or a message in the log.
package struct KeyID: OctetIdentifier {
    package let text: String

    /// Returns `nil` for an empty text, for more than 256 octets, and for a control character.
    package init?(_ text: String) {
        guard (1...256).contains(text.utf8.count), !text.hasControlCharacter else { return nil }
        self.text = text
    }
}

extension String {
    /// Whether a character is in Unicode's general category Cc, whose 65 characters never change.
    var hasControlCharacter: Bool {
        unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }

    var isBlank: Bool {
        unicodeScalars.allSatisfy(\.properties.isWhitespace)
    }
}
