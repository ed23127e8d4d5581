internal import JOSE
import Octets

/// The id of a provider, in Firebase's spelling where Firebase has one: `yahoo.com`, `twitter.com`.
package struct ProviderID: OctetIdentifier {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}
