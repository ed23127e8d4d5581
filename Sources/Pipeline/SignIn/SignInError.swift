package import Accounts
package import Exchange
package import Firebase
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
    case parameterMissing(String)
    case parameterMalformed(String)
    /// An authorization request that fits into no cookie.
    case requestTooLarge
    /// RFC 6749 §3.1.1: only `code`.
    case unsupportedResponseType
    /// RFC 7636: `code_challenge` with the method `S256`.
    case codeChallengeRequired
    /// The client's configuration does not list it.
    case grantNotAllowed
    /// No browser flow of this handle, or it has ended, or it began in another browser.
    case unknownBrowserFlow
    /// A pushed request that is not ours, is used, is too old, or belongs to another client.
    case unknownRequestURI
    case handoff(HandoffError)
    case device(DeviceError)
    /// The nonce verifier is not ours, is too old, or belongs to another client or provider.
    case nonceMismatch
    /// The client's configuration does not let it make anonymous accounts.
    case anonymousDisabled
    case bearer(BearerError)
    case appCheck(AppCheckFailure)
    /// A session of another purpose: to sign in, to link or to reauthenticate.
    case otherPurpose
    /// The person was signed in at the provider all along, where a fresh login was asked for.
    case loginNotFresh
    /// A pending credential that is not ours, is too old, or belongs to another client or another use.
    case pendingCredentialUnknown
    case conflict(AccountConflict)
    /// Firebase does not trade the custom token in.
    case redemption(IdentityToolkitError)
    /// The provider has no endpoint for this.
    case revocationUnsupported
    case session(SessionError)
    case exchange(ExchangeError)
    case verification(VerificationError)
    /// - givenBack: the same request may be sent again.
    case account(AccountError, givenBack: Bool)
    case minting(MintingError, givenBack: Bool)
    case store(StoreError)
    case random(RandomFailure)
}
