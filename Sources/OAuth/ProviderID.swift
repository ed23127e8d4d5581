/// The id of a provider, in Firebase's spelling where Firebase has one: `yahoo.com`, `twitter.com`.
package struct ProviderID: Sendable, Hashable, CustomStringConvertible {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package var description: String { text }
}
