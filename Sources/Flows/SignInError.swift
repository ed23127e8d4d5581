package import Accounts
package import Exchange
package import Firebase
package import Minting
package import Providers
package import SecondFactors
package import Standards
package import Stores
package import Verification

/// Why a call fails: the caller's request, or the component that refused it.
package enum SignInError: Error, Equatable, Sendable {
    case unknownClient
    case unknownProvider
    case providerDisabled
    /// The configuration of the client does not let it have the provider's tokens.
    case providerTokensDisabled
    /// The provider does not accept this type of credential, by its configuration.
    case unsupportedCredential
    /// No endpoint accepts a credential of this type.
    case unknownCredentialType
    case redirectURINotAllowed
    case codeVerifierRequired
    case codeVerifierMalformed
    /// The endpoint or the configuration of the provider does not allow the parameter with this name.
    case parameterNotAllowed(String)
    /// Only the server may set the parameter with this name.
    case reservedParameter(String)
    case scopeNotAllowed
    case nonceRequired
    case unknownFlow
    case parameterMissing(String)
    case parameterMalformed(String)
    /// The authorization request does not fit into a cookie.
    case requestTooLarge
    /// The `response_type` is not `code` (RFC 6749 §3.1.1).
    case unsupportedResponseType
    /// The redirect URI, or its origin, cannot receive responses in the requested `response_mode`.
    case responseModeNotAllowed
    /// The request has no `code_challenge` with the method `S256` (RFC 7636 §4.3).
    case codeChallengeRequired
    /// The configuration of the client does not list the grant.
    case grantNotAllowed
    /// The browser has no flow with this handle: the flow ended, or it began in another browser.
    case unknownBrowserFlow
    /// This server did not issue the `request_uri`, or issued it to another client.
    case unknownRequestURI
    case requestURIExpired
    /// The credential, or the sealed value of a flow, cannot be spent.
    case singleUse(SingleUseError)
    case handoff(HandoffRefusal)
    case device(DeviceRefusal)
    /// This server did not issue the nonce verifier, or issued it to another client or for another provider.
    case nonceMismatch
    case nonceExpired
    /// The configuration of the client does not allow anonymous accounts.
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
    /// The account has a second factor, with which the sign-in continues.
    case challenge(FactorChallenge)
    case secondFactor(StepFailure<FactorError>)
    /// The person did not sign in to the account that has the verified address of a browser or device flow.
    case conflictNotSettled
    /// The conflict of a code or device has ended before the application has fetched it.
    case conflictEnded
    /// Firebase refused to exchange the custom token for its own tokens, or did not respond.
    case redemption(StepFailure<IdentityToolkitError>)
    /// The provider has no revocation endpoint.
    case revocationUnsupported
    case callback(CallbackError)
    /// The provider returned an error, for example because the person refused.
    case refused(ProviderRefusal)
    case exchange(ExchangeFailure)
    case verification(VerificationFailure)
    case account(StepFailure<AccountError>)
    case minting(StepFailure<MintingError>)
    /// The client admits only verified addresses of certain domains, and this sign-in has none of these.
    case emailDomainNotAllowed
    /// The operator's hook refused, or could not be asked.
    case hook(StepFailure<HookError>)
    case store(StoreError)
    case sealing(SealingFailure)
    case random(RandomFailure)

    /// Makes the error of a request with `prompt=none` for which this server, or the provider, has to show a page.
    static func interactionRequired(_ unmet: UnmetInteraction) -> Self {
        .refused(.interactionRequired(unmet, isSilent: true))
    }

    /// Makes the error of an account operation, and gives the credential back if nothing was written.
    static func account(_ error: AccountError, givingBack: () async -> Bool) async -> Self {
        .account(StepFailure(error, isUnspent: error.nothingWasWritten ? await givingBack() : false))
    }

    /// Makes the error of a second factor, and gives the credential back if nothing was written.
    static func secondFactor(_ error: FactorError, givingBack: () async -> Bool) async -> Self {
        .secondFactor(StepFailure(error, isUnspent: error.nothingWasWritten ? await givingBack() : false))
    }

    /// Makes the error of a hook.
    ///
    /// A refusal is a decision about this credential, which stays spent. After any other error nothing was issued.
    static func hook(_ error: HookError, givingBack: () async -> Bool) async -> Self {
        if case .denied = error { return .hook(StepFailure(error)) }
        return .hook(StepFailure(error, isUnspent: await givingBack()))
    }

    /// The objection of the provider to this server's registration; `nil` for every other error.
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
