internal import JOSE
import Octets

/// The `client_id` of a registered application (RFC 6749 §2.2).
///
/// It names an application and authenticates none: all clients are public.
package struct ClientID: OctetIdentifier {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}
