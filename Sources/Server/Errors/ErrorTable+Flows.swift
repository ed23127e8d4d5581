internal import Accounts
internal import Flows

/// Errors of the flows: what a client may ask for, and the codes and sessions that belong to a flow.
extension ErrorTable {
    static func response(to error: SignInError) -> ErrorResponse {
        switch error {
        case .unknownClient:
            ErrorResponse(
                401, "invalid_client", .unknownClient,
                "No client with this client_id is configured. Check the client_id.")
        case .unknownProvider:
            .invalidRequest(.unknownProvider, "No provider with this id is configured. Check the provider id.")
        case .providerDisabled:
            ErrorResponse(
                403, "access_denied", .providerDisabled,
                "This client may not use this provider. Use another provider, or add this one to the providers of the "
                    + "client.")
        case .providerTokensDisabled:
            ErrorResponse(
                403, "access_denied", .providerTokensDisabled,
                "This client may not have the tokens of providers. Set return_provider_tokens for the client.")
        case .unsupportedCredential:
            .invalidRequest(
                .unsupportedCredential,
                "This provider does not accept credentials of this type. Use one of the types in accept of the "
                    + "provider."
            )
        case .unknownCredentialType:
            .invalidRequest(
                .unknownCredentialType,
                "This credential type does not exist. Use one of the types that /openapi.json lists for this endpoint.")
        case .redirectURINotAllowed:
            .invalidRequest(
                .redirectURINotAllowed,
                "The redirect_uri is not configured for this client and endpoint. Send a configured one without any "
                    + "change."
            )
        case .codeVerifierRequired:
            .invalidRequest(
                .pkceRequired, "The code_verifier is missing. Send it, because the provider requires PKCE (RFC 7636).")
        case .codeVerifierMalformed:
            .invalidRequest(
                .malformedBody,
                "The code_verifier is malformed. Send 43 to 128 unreserved characters (RFC 7636 section 4.1).")
        case .parameterNotAllowed(let name):
            .invalidRequest(.parameterNotAllowed, notAllowed(name), parameter: name)
        case .reservedParameter(let name):
            .invalidRequest(
                .reservedParameter, "The server sets this parameter of the authorization request itself. Omit it.",
                parameter: name)
        case .scopeNotAllowed:
            ErrorResponse(
                400, "invalid_scope", .invalidScope,
                "A scope is not allowed for this provider. Omit it, or add it to allowed_scopes of the provider.")
        case .nonceRequired:
            .invalidRequest(
                .missingField,
                "The member nonce is missing. Send the nonce of the provider request, or get one at POST /v1/nonce.")
        case .unknownFlow:
            .invalidRequest(
                .parameterNotAllowed,
                "The provider does not support this flow. Omit flow, or send oauth1 or oauth2 as the provider is "
                    + "configured.",
                parameter: "flow")
        case .nonceMismatch:
            .invalidGrant(
                .nonceMismatch,
                "The nonce is not a nonce_verifier that POST /v1/nonce issued for this client_id and provider. Send "
                    + "the nonce_verifier whose nonce was sent to the provider.")
        case .nonceExpired:
            .invalidGrant(
                .expired,
                "The nonce_verifier is older than ten minutes. Get a new one at POST /v1/nonce, then sign in at the "
                    + "provider again.")
        case .anonymousDisabled:
            ErrorResponse(
                403, "access_denied", .anonymousDisabled,
                "This client may not create anonymous accounts. Set anonymous in the configuration of the client.")
        case .bearer(let error): response(to: error)
        case .appCheck(let failure): response(to: failure)
        case .otherPurpose:
            .invalidGrant(
                .intentMismatch,
                "This sign-in began with a different intent. Use it at the endpoint of that intent, or begin again "
                    + "with the intent of this endpoint.")
        case .loginNotFresh:
            .invalidGrant(.tooOld, "The provider did not ask the user to sign in again. Begin again.")
        case .freshLoginUnproven: freshLoginUnproven
        case .freshLoginUnavailable:
            .invalidRequest(
                .freshLoginUnavailable,
                "This credential or flow cannot prove that the user has just signed in. Begin a flow with "
                    + "intent=reauthenticate. For X, the configuration needs the oauth1 keys.")
        case .pendingCredential(let error): response(to: error)
        case .conflict(let conflict): response(to: conflict)
        case .challenge(let challenge): response(to: challenge)
        case .secondFactor(let failure): response(to: failure, by: response)
        case .conflictNotSettled:
            ErrorResponse(
                409, "access_denied", .accountExists,
                "An account with this email address exists, and the user did not sign in to it. If there is a code, "
                    + "send it to /token for the pending_credential. If not, begin again, and let the user sign in "
                    + "as before.")
        case .conflictEnded:
            .invalidGrant(
                .expired, "The email address no longer belongs to another account. Begin again: the user can sign in.")
        case .redemption(let failure): response(to: failure, by: response)
        case .revocationUnsupported:
            .invalidRequest(
                .parameterNotAllowed,
                "This provider has no revocation endpoint. Omit provider and token.", parameter: "token")
        case .parameterMissing(let name):
            .invalidRequest(.missingField, "The parameter \(name) is missing. Add it to the request.")
        case .parameterMalformed(let name):
            .invalidRequest(
                .malformedBody,
                "The parameter \(name) is too long or has an unsupported value. See its schema at /openapi.json.")
        case .requestTooLarge:
            .invalidRequest(
                .malformedBody,
                "The request is too large. Send a shorter state, scope or set of provider parameters.")
        case .unsupportedResponseType:
            ErrorResponse(
                400, "unsupported_response_type", .unsupportedResponseType,
                "This response_type is not supported. Send response_type=code.")
        case .responseModeNotAllowed:
            .invalidRequest(
                .parameterNotAllowed,
                "This response_mode is not possible for this redirect_uri. Send form_post only with an https or "
                    + "loopback redirect URI without an IPv6 address, and web_message only with one whose origin is "
                    + "in origins of the client.",
                parameter: "response_mode")
        case .codeChallengeRequired:
            .invalidRequest(
                .pkceRequired,
                "PKCE is required. Send code_challenge and code_challenge_method=S256 (RFC 7636 section 4.3).")
        case .grantNotAllowed:
            ErrorResponse(
                400, "unauthorized_client", .unauthorizedClient,
                "The client may not use this grant. Add the grant to the grants of the client.")
        case .unknownBrowserFlow:
            .invalidGrant(
                .sessionInvalid,
                "This browser has no such sign-in. It has ended, or it began in another browser. Begin again.")
        case .unknownRequestURI:
            .invalidGrant(
                .sessionInvalid,
                "The request_uri is not valid for this client_id. Push the request again at /par.")
        case .requestURIExpired:
            .invalidGrant(.expired, "The request_uri is older than 90 seconds. Push the request again at /par.")
        case .singleUse(let error): response(to: error)
        case .handoff(let error): response(to: error)
        case .device(let error): response(to: error)
        case .callback(let error): response(to: error)
        case .refused(let refusal): response(to: refusal)
        case .exchange(let failure): response(to: failure, by: response)
        case .verification(let failure): response(to: failure, by: response)
        case .account(let failure): response(to: failure, by: response)
        case .minting(let failure): response(to: failure, by: response)
        case .emailDomainNotAllowed:
            ErrorResponse(
                403, "access_denied", .emailDomainNotAllowed,
                "This client admits only users with a verified email address of certain domains, and the provider "
                    + "returned no such address. Sign in with another identity.")
        case .hook(let failure): response(to: failure, by: response)
        case .store(let error): response(to: error)
        case .sealing, .random: .internalError
        }
    }

    private static func response(to error: HandoffRefusal) -> ErrorResponse {
        switch error {
        // One response for both cases: two would show a guesser which codes exist.
        case .unknown, .otherHolder:
            .invalidGrant(
                .codeRejected,
                "The code is not valid for this client_id and redirect_uri, or it failed too often. Sign in again.")
        case .expired: .invalidGrant(.expired, "The code is older than 60 seconds. Sign in again.")
        case .verifierMismatch:
            .invalidGrant(
                .proofKeyMismatch,
                "The code_verifier does not match the code_challenge of this sign-in. Send the matching code_verifier.")
        }
    }

    private static func response(to error: PendingCredentialRefusal) -> ErrorResponse {
        switch error {
        case .unknown:
            .invalidGrant(
                .codeRejected,
                "The pending_credential is not valid for this client, provider and account. Begin again.")
        case .expired:
            .invalidGrant(
                .expired,
                "The pending_credential is older than ten minutes, or its identity has moved to another account since. "
                    + "Begin again.")
        case .otherUse:
            .invalidGrant(
                .intentMismatch,
                "The pending_credential may not be used at this endpoint. One from a sign-in is for /v1/account/link. "
                    + "One from a flow with intent=link is for /v1/account/link and /v1/account/merge.")
        }
    }

    /// Errors of the device grant (RFC 8628 §3.5) and of its pages.
    private static func response(to error: DeviceRefusal) -> ErrorResponse {
        switch error {
        case .authorizationPending:
            ErrorResponse(
                400, "authorization_pending", .authorizationPending,
                "The user has not finished the sign-in. Poll again after interval seconds.")
        case .slowDown:
            ErrorResponse(
                400, "slow_down", .slowDown,
                "This poll came too soon. Add five seconds to the interval between polls.")
        case .denied:
            ErrorResponse(
                400, "access_denied", .accessDenied,
                "The user denied the request. Begin again only if the user wants to.")
        case .expired:
            ErrorResponse(
                400, "expired_token", .expiredToken, "The device_code is older than ten minutes. Begin again.")
        case .unknown:
            .invalidGrant(.codeRejected, "The device_code is not valid for this client. Begin again.")
        case .unknownUserCode:
            .invalidGrant(
                .codeRejected, "No device is waiting for this user code. Enter the code that the device shows now.")
        case .takenUserCode:
            .invalidGrant(
                .codeRejected,
                "Another browser has confirmed this user code, or it was already used. Get a new code on the device.")
        case .unknownForm:
            .invalidGrant(
                .sessionInvalid, "The form is not valid for this browser and step. Open /device again.")
        case .formExpired: .invalidGrant(.expired, "The form is older than ten minutes. Open /device again.")
        case .formReplayed: .invalidGrant(.replayed, "The form was already submitted. Open /device again.")
        }
    }

    private static func response(to error: CallbackError) -> ErrorResponse {
        switch error {
        case .invalidSession:
            .invalidGrant(
                .sessionInvalid,
                "The session is not valid for this client_id and provider. Begin again at POST /v1/signin.")
        case .expired: .invalidGrant(.expired, "The session is older than ten minutes. Begin again.")
        case .otherRedirectURI:
            .invalidGrant(
                .callbackMismatch,
                "The callback_url does not begin with the redirect_uri of this session. Send the URL exactly as "
                    + "received."
            )
        case .malformedCallback:
            .invalidGrant(
                .callbackMismatch,
                "The callback_url has no response of the provider, or has a parameter twice. Send the URL exactly as "
                    + "received.")
        case .stateMismatch:
            .invalidGrant(
                .stateMismatch,
                "The callback belongs to another sign-in: its state or oauth_token is missing or different. Send the "
                    + "callback of this session, or begin again.")
        case .issuerMismatch:
            .invalidGrant(
                .issuerMismatch, "The callback is from a different issuer than this provider. Begin again.")
        }
    }

    private static func response(to refusal: ProviderRefusal) -> ErrorResponse {
        switch refusal {
        case .accessDenied:
            ErrorResponse(
                400, "access_denied", .accessDenied,
                "The user did not consent at the provider. Begin again only if the user wants to.")
        case .invalidScope:
            ErrorResponse(
                400, "invalid_scope", .invalidScope,
                "The provider does not grant a scope. Request only scopes that the registration at the provider allows."
            )
        case .interactionRequired(let interaction, let isSilent):
            ErrorResponse(
                400, interaction.rawValue, Reason(interaction),
                isSilent
                    ? "A page has to be shown to the user first. Begin again without prompt=none."
                    : "The provider ended the sign-in before the user completed its pages. Begin again.")
        case .refusedByProvider:
            .provider(502, .providerError, "The provider ended the sign-in with an error. Begin again.", .restart)
        }
    }

    /// Returns a constant text for each parameter of this server.
    ///
    /// The name of any other parameter is only in the member `parameter` of the response.
    private static func notAllowed(_ name: String) -> String {
        switch name {
        case "code_verifier": "This provider is configured without PKCE. Omit code_verifier."
        case "nonce": "This provider is not an OpenID Provider. Omit nonce."
        case "request": "Request objects are not supported. Send the parameters themselves."
        case "request_uri": "A pushed request may not contain request_uri. Send the parameters themselves."
        case "intent": "A flow with an intent must begin at POST /par with the Firebase ID token of the user as bearer."
        case "actor_token", "actor_token_type":
            "Delegation is not supported. Omit actor_token and actor_token_type."
        default:
            "This parameter is not allowed for the provider. Omit it, or add it to allowed_parameters of the provider."
        }
    }
}
