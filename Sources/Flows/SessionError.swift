/// Why a callback does not end the flow that it is said to belong to.
package enum SessionError: Error, Equatable, Sendable {
    /// The session does not open with the seal key, or it is another client's or provider's.
    case malformed
    case expired
    case replayed
    /// It began before a time in which its use may not have been recorded.
    case unwatched
    /// The URL is not the session's redirect URI with parameters behind it.
    case otherRedirectURI
    /// The URL holds no answer of a provider, or a parameter twice.
    case malformedCallback
    /// `state`, or in OAuth 1.0a `oauth_token`, is missing or another flow's.
    case stateMismatch
    /// RFC 9207.
    case issuerMismatch
    /// The person, or the provider on their behalf, said no.
    case accessDenied
    /// The provider does not grant a scope that was asked for.
    case invalidScope
    /// The provider has to show the person a page first.
    ///
    /// - isSilent: the request had `prompt=none`, which forbade the page.
    case interactionRequired(UnmetInteraction, isSilent: Bool)
    /// Any other error that the provider put into the redirect.
    case refusedByProvider
}
