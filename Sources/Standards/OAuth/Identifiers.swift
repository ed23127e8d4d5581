internal import JOSE

/// The id of a provider, in Firebase's spelling if Firebase knows the provider: `yahoo.com`, `twitter.com`.
package struct ProviderID: OctetIdentifier {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}

/// The `client_id` of a registered application (RFC 6749 §2.2).
///
/// It does not authenticate an application, because all clients are public (RFC 6749 §2.1).
package struct ClientID: OctetIdentifier {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}
