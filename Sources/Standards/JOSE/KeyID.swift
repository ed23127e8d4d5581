/// Which key of a set is meant (RFC 7515 §4.1.4): 1 to 256 bytes of the peer's choosing.
///
/// It is compared and nothing else; it never becomes part of a path, a query or a log line of its own.
package struct KeyID: Sendable {
    package let text: String

    /// Nil for nothing, for more than 256 bytes, and where there is a control character.
    package init?(_ text: String) {
        guard (1...256).contains(text.utf8.count), !text.hasControlCharacter else { return nil }
        self.text = text
    }
}

extension KeyID: Hashable {
    package static func == (a: Self, b: Self) -> Bool { exactlyEqual(a.text, b.text) }

    package func hash(into hasher: inout Hasher) {
        for octet in text.utf8 { hasher.combine(octet) }
    }
}
