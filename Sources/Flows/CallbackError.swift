/// Why a callback is refused.
package enum CallbackError: Error, Equatable, Sendable {
    /// The session does not open with the seal key, or it belongs to another client or provider.
    case malformed
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

/// The error that a provider returned to an authorization request (RFC 6749 §4.1.2.1).
package enum ProviderRefusal: Equatable, Sendable {
    /// The person refused, or the provider did on their behalf.
    case accessDenied
    /// The provider does not grant a scope that was requested.
    case invalidScope
    /// The provider has to show the person a page first.
    ///
    /// - isSilent: Whether the request had `prompt=none`, which forbade the page.
    case interactionRequired(UnmetInteraction, isSilent: Bool)
    /// Any other error.
    case refusedByProvider
}

/// Why the provider has to show a page before it returns a code (OpenID Connect Core §3.1.2.6).
///
/// A provider may return it only to a request with `prompt=none`. Some providers also do without it.
package enum UnmetInteraction: String, Sendable {
    case login = "login_required"
    case accountSelection = "account_selection_required"
    case consent = "consent_required"
    case interaction = "interaction_required"
}
