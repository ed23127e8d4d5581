internal import JOSE
internal import Providers
package import Standards

/// The URL to which the provider redirected the person, as an application posts it.
package enum CallbackURL {
    fileprivate static let maximumBytes = 16 * 1024

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
    /// - Throws: ``Refusal/otherCallback(_:of:)`` unless `text` is `redirectURI`, octet for octet, followed by a query;
    ///   ``Refusal/malformedCallback(_:)`` if a parameter that is read cannot be parsed or occurs twice, and for a fragment.
    static func parameters(of text: Secret, redirectURI: String) throws(Refusal) -> Parameters {
        let url = text.secretText.utf8
        guard url.count <= maximumBytes, url.starts(with: redirectURI.utf8) else {
            throw .otherCallback(text.secretText, of: redirectURI)
        }
        var rest = Substring(url.dropFirst(redirectURI.utf8.count))
        // A browser writes an empty path as a slash (RFC 3986 §6.2.3).
        if rest.first == "/", redirectURI.hasEmptyPath { rest = rest.dropFirst() }
        // RFC 6749 §3.1.2: a redirect URI may have a query of its own, to which parameters are added.
        guard rest.first == (redirectURI.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") else {
            throw .otherCallback(text.secretText, of: redirectURI)
        }
        rest = rest.dropFirst()
        let query = rest.utf8.prefix { $0 != UInt8(ascii: "#") }
        // Only the implicit flow returns a fragment with content, which would be tokens (RFC 9700 §2.1.2). Facebook
        // appends the other one, so that no old fragment of the browser is kept.
        let fragment = Substring(rest.utf8[query.endIndex...])
        guard ["", "#", "#_=_"].contains(where: fragment.exactlyEquals) else {
            throw .malformedCallback(.fragment)
        }
        do {
            return try parse(Substring(query))
        } catch {
            throw .malformedCallback(error == .repeated ? .repeated : .unreadable)
        }
    }
}

extension Refusal {
    /// A callback that an application posts, and that is not the redirect URI of its session with a query.
    ///
    /// The log has nothing of its text, which may contain a code.
    package static func otherCallback(_ text: String, of redirectURI: String) -> Refusal {
        let common = zip(text.utf8, redirectURI.utf8).prefix { $0 == $1 }.count
        let found =
            switch text.utf8.dropFirst(common).first {
            case _ where text.utf8.count > CallbackURL.maximumBytes: "has more than \(CallbackURL.maximumBytes) octets"
            case _ where common < redirectURI.utf8.count: "differs from this after \(common) octets"
            case nil: "ends with it: the application has to keep the query"
            case UInt8(ascii: "#"): "has # after it: the provider has to write its response into the query"
            default: "has something else after it"
            }
        return Refusal(
            .callbackMismatch,
            "The callback_url is not the redirect_uri of this session with a query. Send the URL exactly as received.",
            finding: "the callback_url has to be the redirect_uri of its session with a query after it, and \(found)")
    }

    package static func malformedCallback(_ fault: CallbackFault) -> Refusal {
        Refusal(
            .callbackMismatch,
            "The callback is not one response of the provider, with a code or an error, without a token, and with each "
                + "parameter once. Send callback_url exactly as received, or begin again.",
            finding: fault.rawValue, cause: fault)
    }
}

/// Why a callback that may belong to a flow is not one response of a provider.
package enum CallbackFault: String, Equatable, Sendable, AdvisingCause {
    case fragment = "the callback has text after #"
    case unreadable =
        "a parameter of the callback is no percent-encoded UTF-8, or has a control character, or there are more than 1000"
    case repeated = "the callback has a parameter twice"
    case token = "the callback has access_token or id_token"
    case codeAndError = "the callback has both a code and an error"
    case noCode = "the callback has no code, or an empty one"
    case verifierForCode =
        "in place of a code, the callback has oauth_token or oauth_verifier, which are of OAuth 1.0a"
    case noVerifier = "the callback has no oauth_verifier, or an empty one"
    case codeForVerifier = "in place of oauth_verifier, the callback has a code, which is of OAuth 2.0"

    package var advice: String? {
        switch self {
        case .noCode:
            "If each sign-in at this provider ends so, look at the address to which the provider sends the browser. If it has the "
                + "parameter code, a proxy or the application removes it. If not, compare endpoints.authorization, and the type of the "
                + "client in its registration, with the provider's documentation: the provider has to send a code under this name "
                + "(RFC 6749 section 4.1.2)."
        case .verifierForCode:
            "If the application at the provider is one of OAuth 1.0a: register one of OAuth 2.0, or write flow: oauth1 at "
                + "twitter.com. Otherwise compare endpoints.authorization with the provider's documentation: the provider has to "
                + "send code (RFC 6749 section 4.1.2)."
        case .noVerifier:
            "If each sign-in at this provider ends so, look at the address to which the provider sends the browser. If it has "
                + "oauth_verifier, a proxy or the application removes it. If not, the provider has to send it (RFC 5849 section 2.2)."
        case .codeForVerifier:
            "If the application at the provider is one of OAuth 2.0: write flow: oauth2 at twitter.com. Otherwise the provider has to "
                + "send oauth_verifier (RFC 5849 section 2.2)."
        case .fragment, .token:
            "If an application posted the address, it has to do so before a router of its own changes it. If each sign-in at this "
                + "provider ends so, allow the authorization code flow (response type code) for this client in its registration, and "
                + "compare endpoints.authorization with the provider's documentation: the provider has to send code, and no token."
        case .unreadable, .repeated, .codeAndError: nil
        }
    }
}

extension String {
    /// Whether a URI with an authority has neither path nor query.
    fileprivate var hasEmptyPath: Bool {
        let parts = utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.count == 3 && parts[1].isEmpty && !parts[2].isEmpty && !parts[2].contains(UInt8(ascii: "?"))
    }
}
