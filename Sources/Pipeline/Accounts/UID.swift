/// A person at Firebase: 1 to 128 characters.
package struct UID: Sendable, Hashable, CustomStringConvertible {
    package let text: String

    /// Nil unless `text` has 1 to 128 characters, counted as UTF-16 does, which Firebase's own SDKs count by.
    package init?(_ text: String) {
        guard (1...128).contains(text.utf16.count) else { return nil }
        self.text = text
    }

    package var description: String { text }
}
