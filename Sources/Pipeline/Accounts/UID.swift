internal import JOSE

/// A Firebase user: 1 to 128 characters.
package struct UID: OctetIdentifier {
    package let text: String

    /// Returns nil unless `text` has 1 to 128 characters, counted as UTF-16 does, which Firebase's own SDKs count by.
    package init?(_ text: String) {
        guard (1...128).contains(text.utf16.count) else { return nil }
        self.text = text
    }
}
