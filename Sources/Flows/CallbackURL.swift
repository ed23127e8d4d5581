internal import Standards

/// The URL to which the provider redirected the person, as an application posts it.
enum CallbackURL {
    /// Returns the provider's parameters.
    ///
    /// - Throws: ``CallbackError/otherRedirectURI`` unless `text` is `redirectURI`, octet for octet, followed by a query;
    ///   ``CallbackError/malformedCallback`` for a query that cannot be parsed, or that has a parameter twice.
    static func parameters(of text: Secret, redirectURI: String) throws(CallbackError) -> Parameters {
        let url = text.secretText.utf8
        guard url.count <= 16 * 1024, url.starts(with: redirectURI.utf8) else { throw .otherRedirectURI }
        var rest = Substring(url.dropFirst(redirectURI.utf8.count))
        // RFC 6749 §3.1.2: a redirect URI may have a query of its own, to which parameters are added.
        guard rest.first == (redirectURI.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") else { throw .otherRedirectURI }
        rest = rest.dropFirst()
        // Only the implicit flow returns a fragment, which would contain tokens (RFC 9700 §2.1.2).
        guard !rest.utf8.contains(UInt8(ascii: "#")) else { throw .malformedCallback }
        do {
            return try Parameters.parse(rest)
        } catch {
            throw .malformedCallback
        }
    }
}

/// Why a callback is refused.
package enum CallbackError: Error, Equatable, Sendable {
    /// The session does not open with the seal key, or it belongs to another client or provider.
    case invalidSession
    case expired
    /// The URL does not consist of the redirect URI of the session and parameters.
    case otherRedirectURI
    /// The URL contains no response of a provider, or a parameter twice.
    case malformedCallback
    /// `state`, or `oauth_token` in OAuth 1.0a, is missing or belongs to another flow.
    case stateMismatch
    /// The issuer of the response is not the provider of the flow (RFC 9207).
    case issuerMismatch
}
