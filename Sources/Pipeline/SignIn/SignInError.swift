package import Accounts
package import Exchange
package import Minting
package import OAuth
internal import Providers
package import Stores
package import Verification

/// Why nobody is signed in: the caller's request, or the room that refused.
package enum SignInError: Error, Equatable, Sendable {
    case unknownClient
    case unknownProvider
    case providerDisabled
    /// The provider, as configured, does not take this type.
    case unsupportedCredential
    case redirectURINotAllowed
    case codeVerifierRequired
    case codeVerifierMalformed
    /// A member that this provider's registration has no use for: `code_verifier`, `nonce`, or a parameter.
    case parameterNotAllowed
    case reservedParameter
    case scopeNotAllowed
    case nonceRequired
    case unknownFlow
    /// The nonce verifier is not ours, is too old, or belongs to another client or provider.
    case nonceMismatch
    case session(SessionError)
    case exchange(ExchangeError)
    case verification(VerificationError)
    /// - givenBack: the same request may be sent again.
    case account(AccountError, givenBack: Bool)
    case minting(MintingError, givenBack: Bool)
    case store(StoreError)
    case random(RandomFailure)
}

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
    /// Any other error that the provider put into the redirect.
    case refusedByProvider
}
