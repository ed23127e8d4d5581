/// The `client_id` of an application at our own door (RFC 6749 §2.2).
///
/// It names and authenticates nobody.
package struct ClientID: Sendable, Hashable, CustomStringConvertible {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package var description: String { text }
}
