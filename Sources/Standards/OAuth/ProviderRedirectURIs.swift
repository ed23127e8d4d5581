/// The redirect URIs at which an application itself receives the responses of providers.
package enum ProviderRedirectURIs: Sendable, Equatable, ExpressibleByArrayLiteral {
    /// One list for all providers of the client.
    ///
    /// If two of them use one URI, the application cannot tell which of them has sent a code, so that a malicious one
    /// can have the code of the other posted as its own (RFC 9700 §4.4).
    case shared([String])
    /// The URIs of each provider, none of which stands below two (RFC 9700 §4.4.2.2).
    case separate([ProviderID: [String]])

    package init(arrayLiteral uris: String...) { self = .shared(uris) }

    /// Returns the URIs that may be used at one provider.
    package func uris(at provider: ProviderID) -> [String] {
        switch self {
        case .shared(let uris): uris
        case .separate(let uris): uris[provider] ?? []
        }
    }
}
