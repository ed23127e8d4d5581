/// Why a callback does not end the flow that it is said to belong to.
package enum SessionError: Error, Equatable, Sendable {
    /// Not sealed by us, or for another client or provider.
    case malformed
    case expired
    case replayed
    /// The URL is not the session's redirect URI with parameters behind it.
    case otherRedirectURI
    case malformedCallback
    case stateMismatch
    /// RFC 9207.
    case issuerMismatch
    /// The person, or the provider on their behalf, said no.
    case accessDenied
    /// The provider does not grant a scope that was asked for.
    case invalidScope
    /// The provider signs nobody in without showing a page, and was not to show one.
    case interactionRequired(UnmetInteraction)
    /// Any other error that the provider put into the redirect.
    case refusedByProvider
}
