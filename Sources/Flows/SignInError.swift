package import Accounts
package import Exchange
package import Firebase
package import Minting
package import OAuth
package import Providers
package import Sealing
package import Stores
package import Verification

/// Why a call fails: the caller's request, or the component that refused it.
package enum SignInError: Error, Equatable, Sendable {
    case unknownClient
    case unknownProvider
    case providerDisabled
    /// The provider, as configured, does not take this type.
    case unsupportedCredential
    /// No credential has this type, at this endpoint or at any other.
    case unknownCredentialType
    case redirectURINotAllowed
    case codeVerifierRequired
    case codeVerifierMalformed
    /// A parameter that the provider's registration or the endpoint has no use for, with the name that was sent.
    case parameterNotAllowed(String)
    /// A parameter that only the server sets, with the name that was sent.
    case reservedParameter(String)
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
    /// The browser has no flow of this handle: it ended, or it began in another browser.
    case unknownBrowserFlow
    /// A `request_uri` that this server did not issue, or issued to another client.
    case unknownRequestURI
    case requestURIExpired
    /// A credential, or a sealed value of a flow, that may be used once.
    case singleUse(SingleUseError)
    case handoff(HandoffRefusal)
    case device(DeviceRefusal)
    /// A nonce verifier that this server did not issue, or issued to another client or for another provider.
    case nonceMismatch
    case nonceExpired
    /// The client's configuration does not let it make anonymous accounts.
    case anonymousDisabled
    case bearer(BearerError)
    case appCheck(AppCheckRefusal)
    /// The purpose of the session or handoff differs from that of the request: to sign in, to link or to reauthenticate.
    case otherPurpose
    /// The request requires a fresh login, but the person logged in at the provider before the flow began.
    case loginNotFresh
    /// The request requires a fresh login, but the ID token does not contain the time of the login.
    case freshLoginUnproven
    /// This credential or flow can neither request nor prove a fresh login.
    case freshLoginUnavailable
    case pendingCredential(PendingCredentialRefusal)
    case conflict(AccountConflict)
    /// Firebase does not exchange the custom token for its own tokens.
    case redemption(StepFailure<IdentityToolkitError>)
    /// The provider has no endpoint for this.
    case revocationUnsupported
    case callback(CallbackError)
    /// The person, or the provider, refused.
    case refused(ProviderRefusal)
    case exchange(ExchangeFailure)
    case verification(VerificationFailure)
    case account(StepFailure<AccountError>)
    case minting(StepFailure<MintingError>)
    case store(StoreError)
    case sealing(SealingFailure)
    case random(RandomFailure)

    /// Makes the error of an account operation, and gives the credential back if nothing was written.
    static func account(_ error: AccountError, givingBack: () async -> Bool) async -> Self {
        .account(StepFailure(error, isUnspent: error.nothingWasWritten ? await givingBack() : false))
    }

    /// The objection of the provider to this server's registration; nil for every other error.
    package var clientRefusal: ClientRefusal? {
        switch self {
        case .exchange(let failure):
            if case .provider(.refusedClient(let refusal)) = failure.reason { refusal } else { nil }
        case .verification(let failure):
            if case .provider(.refusedClient(let refusal)) = failure.reason { refusal } else { nil }
        default: nil
        }
    }
}
