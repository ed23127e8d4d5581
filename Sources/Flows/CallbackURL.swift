internal import JOSE
internal import Providers
package import Standards

/// The URL to which the provider redirected the person, as an application posts it.
package enum CallbackURL {
    /// The parameters of a redirect that are read; tokens only to refuse them.
    ///
    /// None of them may occur twice. All others are ignored, whatever they hold (RFC 6749 §4.1.2).
    package static let readParameters: Set<String> = [
        "access_token", "code", "denied", "error", "id_token", "iss", "oauth_token", "oauth_verifier", "state",
    ]

    /// The parameters by which providers describe an error, some of them without `error`; only an operator reads their text.
    static let errorParameters: Set = [
        "error_code", "error_description", "error_message", "error_msg", "error_reason", "error_subtype",
    ]

    /// The name of `state` in a URL as HTML contains it, which only an operator reads.
    static let escapedState = "amp;state"

    /// Reads the parameters of a redirect.
    ///
    /// An unreadable name of the person is left out, and an unreadable description keeps its words.
    ///
    /// - Parameter text: The query or the form.
    /// - Throws: ``ParametersError`` for one of ``readParameters`` that is malformed or repeated.
    package static func parse(_ text: some StringProtocol) throws(ParametersError) -> Parameters {
        try Parameters.parse(
            text, reading: readParameters, optional: [CallbackName.parameter, escapedState], described: errorParameters)
    }

    /// Returns the provider's parameters.
    ///
    /// - Throws: ``Refusal/otherRedirectURI`` unless `text` is `redirectURI`, octet for octet, followed by a query;
    ///   ``Refusal/malformedCallback`` if a parameter that is read cannot be parsed or occurs twice, and for a fragment.
    static func parameters(of text: Secret, redirectURI: String) throws(Refusal) -> Parameters {
        let url = text.secretText.utf8
        guard url.count <= 16 * 1024, url.starts(with: redirectURI.utf8) else { throw .otherRedirectURI }
        var rest = Substring(url.dropFirst(redirectURI.utf8.count))
        // A browser writes an empty path as a slash (RFC 3986 §6.2.3).
        if rest.first == "/", redirectURI.hasEmptyPath { rest = rest.dropFirst() }
        // RFC 6749 §3.1.2: a redirect URI may have a query of its own, to which parameters are added.
        guard rest.first == (redirectURI.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") else { throw .otherRedirectURI }
        rest = rest.dropFirst()
        let query = rest.utf8.prefix { $0 != UInt8(ascii: "#") }
        // Only the implicit flow returns a fragment with content, which would be tokens (RFC 9700 §2.1.2). Facebook
        // appends the other one, so that no old fragment of the browser is kept.
        let fragment = Substring(rest.utf8[query.endIndex...])
        guard ["", "#", "#_=_"].contains(where: fragment.exactlyEquals) else { throw .malformedCallback }
        do {
            return try parse(Substring(query))
        } catch {
            throw .malformedCallback
        }
    }
}

extension Refusal {
    package static let otherRedirectURI = Refusal(
        .callbackMismatch,
        "The callback_url does not begin with the redirect_uri of this session. Send the URL exactly as received.")

    package static let malformedCallback = Refusal(
        .callbackMismatch,
        "The callback has no code of the provider, has a token, or has a parameter twice. Send callback_url exactly as "
            + "received, or begin again.")
}

extension String {
    /// Whether a URI with an authority has neither path nor query.
    fileprivate var hasEmptyPath: Bool {
        let parts = utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.count == 3 && parts[1].isEmpty && !parts[2].isEmpty && !parts[2].contains(UInt8(ascii: "?"))
    }
}
