internal import Accounts
internal import Exchange
internal import Firebase
internal import Flows
internal import Minting
internal import Providers
internal import Stores
internal import Verification

/// The only mapping from errors to HTTP.
///
/// It switches over every case of every component's error, so that a new case does not compile before it has an answer.
enum ErrorTable {
    static func response(to error: RequestError) -> ErrorResponse {
        switch error {
        case .notFound:
            .invalidRequest(404, .notFound, "There is nothing at this path. The paths are listed at /openapi.json.")
        case .methodNotAllowed(let allowed):
            ErrorResponse(
                405, "invalid_request", .methodNotAllowed, "Use the method that the Allow field names.",
                allowed: allowed)
        case .uriTooLong: .invalidRequest(414, .uriTooLong, "The request target is longer than 8 KiB. Shorten it.")
        case .headersTooLarge:
            .invalidRequest(
                431, .headersTooLarge,
                "There are more than 100 header fields, or they hold more than 16 KiB. Send less.")
        case .unsupportedMediaType:
            .invalidRequest(
                415, .unsupportedMediaType, "Send Content-Type: application/json, in UTF-8 and not compressed.")
        case .bodyTooLarge: .invalidRequest(413, .bodyTooLarge, "The body is longer than 64 KiB. Send a shorter one.")
        case .malformedBody:
            .invalidRequest(
                .malformedBody,
                "The body is not one JSON object, or the URL has a query. Send one object, and all members in it.")
        case .unknownField(let known):
            .invalidRequest(
                .unknownField, "The body has a member that this endpoint does not know. Send only: \(list(known)).")
        case .missingField(let name): .invalidRequest(.missingField, "The member \(name) is missing. Send it.")
        case .malformedField(let name):
            .invalidRequest(
                .malformedBody,
                "The member \(name) has the wrong type, is empty or too long, or holds control characters. Its schema is at "
                    + "/openapi.json.")
        case .duplicateField:
            .invalidRequest(.duplicateParameter, "A member or parameter is given twice. Send each once.")
        case .formExpected:
            .invalidRequest(
                415, .unsupportedMediaType,
                "Send Content-Type: application/x-www-form-urlencoded, in UTF-8 and not compressed.")
        case .malformedForm:
            .invalidRequest(
                .malformedBody,
                "The parameters cannot be read: broken percent-encoding, a control character, or a query although the body must "
                    + "hold them. Encode them as application/x-www-form-urlencoded.")
        case .malformedMessage(let fault): response(to: fault)
        case .unsupportedGrantType:
            ErrorResponse(
                400, "unsupported_grant_type", .unsupportedGrantType,
                "This grant_type is not supported. Send one of grant_types_supported in the metadata.")
        case .invalidTarget:
            ErrorResponse(
                400, "invalid_target", .invalidTarget,
                "A custom token is only for this Firebase project. Leave out audience and resource.")
        case .clientAuthentication(let byHeader):
            .clientAuthentication(byHeader: byHeader)
        case .originNotAllowed:
            ErrorResponse(
                403, "access_denied", .originNotAllowed,
                "This web origin is not one of the client's. Add it to the client's origins in the configuration.")
        case .rateLimited(let seconds):
            ErrorResponse(
                429, "temporarily_unavailable", .rateLimited,
                "This address sends too many requests. Retry after the time in Retry-After.", retry: .same,
                retryAfter: seconds)
        case .overloaded:
            .unavailable(.overloaded, "The server is at capacity. Retry after the time in Retry-After.", .same)
        case .draining:
            .unavailable(.draining, "The server is shutting down. Retry after the time in Retry-After.", .same)
        case .signIn(let error): response(to: error)
        }
    }

    private static func response(to fault: MessageFault) -> ErrorResponse {
        var answer: ErrorResponse =
            switch fault {
            case .host:
                .invalidRequest(
                    .malformedBody,
                    "The request must have one Host field, with a host and an optional port (RFC 9112 section 3.2).")
            case .framing:
                .invalidRequest(
                    .malformedBody,
                    "HTTP/1.0 has no Transfer-Encoding. Send Content-Length, or HTTP/1.1 (RFC 9112 section 6.1).")
            }
        answer.endsConnection = true
        return answer
    }

    static func response(to error: SignInError) -> ErrorResponse {
        switch error {
        case .unknownClient:
            ErrorResponse(
                401, "invalid_client", .unknownClient,
                "No client with this client_id is configured. Check the client_id.")
        case .unknownProvider:
            .invalidRequest(.unknownProvider, "No provider with this id is configured here. Check the id.")
        case .providerDisabled:
            ErrorResponse(
                403, "access_denied", .providerDisabled,
                "This client may not use this provider. Use another one, or add it to the client's providers in the configuration."
            )
        case .unsupportedCredential:
            .invalidRequest(
                .unsupportedCredential,
                "This provider does not take credentials of this type here. See the provider's accept in the configuration."
            )
        case .unknownCredentialType:
            .invalidRequest(
                .unknownCredentialType,
                "There is no credential of this type. Send one of the types that the description at /openapi.json lists for "
                    + "this endpoint.")
        case .redirectURINotAllowed:
            .invalidRequest(
                .redirectURINotAllowed,
                "The redirect_uri is not configured for this client and endpoint. Send a configured one, character for character."
            )
        case .codeVerifierRequired:
            .invalidRequest(.pkceRequired, "Send code_verifier: the code is bound by PKCE (RFC 7636).")
        case .codeVerifierMalformed:
            .invalidRequest(
                .malformedBody, "The code_verifier must have 43 to 128 unreserved characters (RFC 7636 section 4.1).")
        case .parameterNotAllowed(let name):
            .invalidRequest(.parameterNotAllowed, notAllowed(name), parameter: name)
        case .reservedParameter(let name):
            .invalidRequest(
                .reservedParameter, "Only the server sets this parameter of the authorization request. Leave it out.",
                parameter: name)
        case .scopeNotAllowed:
            ErrorResponse(
                400, "invalid_scope", .invalidScope,
                "The provider's allowed_scopes do not list a scope. Leave it out, or add it to the configuration.")
        case .nonceRequired:
            .invalidRequest(
                .missingField,
                "The member nonce is missing. Get one from POST /v1/nonce, or send the one that the provider was given."
            )
        case .unknownFlow:
            .invalidRequest(
                .parameterNotAllowed,
                "The provider has no flow of this name. Leave flow out, or send oauth1 or oauth2 as the provider is configured.",
                parameter: "flow")
        case .nonceMismatch:
            .invalidGrant(
                .nonceMismatch,
                "The nonce is not a nonce_verifier of POST /v1/nonce for this client_id and provider. Send the one whose nonce "
                    + "the provider was given.")
        case .nonceExpired:
            .invalidGrant(
                .expired,
                "The nonce_verifier is older than ten minutes. Get a new one from POST /v1/nonce, and sign in at the provider "
                    + "again.")
        case .anonymousDisabled:
            ErrorResponse(
                403, "access_denied", .anonymousDisabled,
                "This client may not make anonymous accounts. Set anonymous in its configuration.")
        case .bearer(let error): response(to: error)
        case .appCheck(let failure): response(to: failure)
        case .otherPurpose:
            .invalidGrant(
                .intentMismatch,
                "This sign-in was begun for another purpose. Use it at the endpoint of its intent, or begin again with the "
                    + "intent of this endpoint.")
        case .loginNotFresh:
            .invalidGrant(.tooOld, "The provider did not ask the person to sign in again. Begin again.")
        case .freshLoginUnproven: freshLoginUnproven
        case .freshLoginUnavailable:
            .invalidRequest(
                .freshLoginUnavailable,
                "This credential or flow cannot show that the person has just signed in. Begin a flow with "
                    + "intent=reauthenticate; at X it needs the keys of oauth1 in the configuration.")
        case .pendingCredential(let error): response(to: error)
        case .conflict(let conflict): response(to: conflict)
        case .redemption(let error, let givenBack): response(to: error, givenBack: givenBack)
        case .revocationUnsupported:
            .invalidRequest(
                .parameterNotAllowed,
                "This provider has no endpoint that revokes a token. Leave out provider and token.", parameter: "token")
        case .parameterMissing(let name): .invalidRequest(.missingField, "The parameter \(name) is missing. Send it.")
        case .parameterMalformed(let name):
            .invalidRequest(
                .malformedBody, "The parameter \(name) is too long, or its value is not supported. See /openapi.json.")
        case .requestTooLarge:
            .invalidRequest(
                .malformedBody, "The request is too large. Shorten state, scope and the parameters for the provider.")
        case .unsupportedResponseType:
            ErrorResponse(
                400, "unsupported_response_type", .unsupportedResponseType,
                "This response_type is not supported. Send response_type=code.")
        case .codeChallengeRequired:
            .invalidRequest(
                .pkceRequired, "Send code_challenge, and code_challenge_method=S256 (RFC 7636 section 4.3).")
        case .grantNotAllowed:
            ErrorResponse(
                400, "unauthorized_client", .unauthorizedClient,
                "The client may not use this grant. Add it to the client's grants in the configuration.")
        case .unknownBrowserFlow:
            .invalidGrant(
                .sessionInvalid,
                "This browser has no such sign-in: it has ended, or it began in another browser. Begin again.")
        case .unknownRequestURI:
            .invalidGrant(
                .sessionInvalid,
                "The request_uri is not one of this server for this client_id. Push the request again at /par.")
        case .requestURIExpired:
            .invalidGrant(.expired, "The request_uri is older than 90 seconds. Push the request again at /par.")
        case .requestURIReplayed:
            .invalidGrant(.replayed, "The request_uri was already used. Push the request again at /par.")
        case .handoff(let error): response(to: error)
        case .device(let error): response(to: error)
        case .callback(let error): response(to: error)
        case .refused(let refusal): response(to: refusal)
        case .exchange(let error): response(to: error)
        case .verification(let error): response(to: error)
        case .account(let error, let givenBack): response(to: error, givenBack: givenBack)
        case .minting(let error, let givenBack): response(to: error, givenBack: givenBack)
        case .store(let error): response(to: error)
        case .random: .internalError
        }
    }

    private static func response(to error: HandoffError) -> ErrorResponse {
        switch error {
        // One answer for both, so that a guess does not tell which codes exist.
        case .unknown, .otherHolder:
            .invalidGrant(
                .codeRejected,
                "The code is not one of this server for this client_id and redirect_uri, or failed too often. Sign in again."
            )
        case .expired: .invalidGrant(.expired, "The code is older than 60 seconds. Sign in again.")
        case .replayed: .replayed
        case .verifierMismatch:
            .invalidGrant(
                .proofKeyMismatch,
                "The code_verifier does not belong to the code_challenge of this sign-in. Send the one that it began with."
            )
        }
    }

    private static func response(to error: PendingCredentialError) -> ErrorResponse {
        switch error {
        case .unknown:
            .invalidGrant(
                .codeRejected,
                "The pending_credential is not one of this server for this client, provider and account. Begin again.")
        case .expired:
            .invalidGrant(
                .expired,
                "The pending_credential is older than ten minutes, or its identity is no longer at the account that it "
                    + "was at. Begin again.")
        case .replayed: .replayed
        case .otherUse:
            .invalidGrant(
                .intentMismatch,
                "The pending_credential may not be used at this endpoint. One of a sign-in is for /v1/account/link, one of "
                    + "a flow that was begun to link is for /v1/account/link and /v1/account/merge.")
        }
    }

    /// RFC 8628 §3.5.
    private static func response(to error: DeviceError) -> ErrorResponse {
        switch error {
        case .authorizationPending:
            ErrorResponse(
                400, "authorization_pending", .authorizationPending,
                "The sign-in is not finished. Poll again after interval seconds.")
        case .slowDown:
            ErrorResponse(
                400, "slow_down", .slowDown,
                "This poll came too soon. Wait five seconds longer between polls from now on.")
        case .denied:
            ErrorResponse(
                400, "access_denied", .accessDenied, "The person refused. Begin again if the person wants to.")
        case .expired:
            ErrorResponse(
                400, "expired_token", .expiredToken, "The device_code is older than ten minutes. Begin again.")
        case .replayed: .replayed
        case .unknown:
            .invalidGrant(.codeRejected, "The device_code is not one of this server for this client. Begin again.")
        case .unknownUserCode:
            .invalidGrant(
                .codeRejected, "No device is waiting for this user code. Enter the code that the device shows now.")
        case .takenUserCode:
            .invalidGrant(
                .codeRejected,
                "Another browser has confirmed this user code, or it was answered. Get a new code on the device.")
        case .unknownForm:
            .invalidGrant(
                .sessionInvalid, "The form is not one of this server for this browser and step. Open /device again.")
        case .formExpired: .invalidGrant(.expired, "The form is older than ten minutes. Open /device again.")
        case .formReplayed: .invalidGrant(.replayed, "The form was already answered. Open /device again.")
        }
    }

    private static func response(to error: CallbackError) -> ErrorResponse {
        switch error {
        case .malformed:
            .invalidGrant(
                .sessionInvalid,
                "The session is not one of this server for this client_id and provider. Begin again at POST /v1/signin."
            )
        case .expired: .invalidGrant(.expired, "The session is older than ten minutes. Begin again.")
        case .replayed: .replayed
        case .unwatched: .issuedUnwatched
        case .otherRedirectURI:
            .invalidGrant(
                .callbackMismatch,
                "The callback_url is not the redirect_uri of this session with parameters after it. Send the URL as it arrived."
            )
        case .malformedCallback:
            .invalidGrant(
                .callbackMismatch,
                "The callback_url holds no answer of the provider, or a parameter twice. Send the URL as it arrived.")
        case .stateMismatch:
            .invalidGrant(
                .stateMismatch,
                "The callback belongs to another sign-in: its state or oauth_token is missing or differs. Send the callback "
                    + "of this session, or begin again.")
        case .issuerMismatch:
            .invalidGrant(
                .issuerMismatch, "The callback comes from another issuer than this provider. Begin again.")
        }
    }

    private static func response(to refusal: ProviderRefusal) -> ErrorResponse {
        switch refusal {
        case .accessDenied:
            ErrorResponse(
                400, "access_denied", .accessDenied,
                "The person did not consent at the provider. Begin again if the person wants to.")
        case .invalidScope:
            ErrorResponse(
                400, "invalid_scope", .invalidScope,
                "The provider does not grant a scope. Ask only for what the registration there permits.")
        case .interactionRequired(let interaction, let isSilent):
            ErrorResponse(
                400, interaction.rawValue, Reason(interaction),
                isSilent
                    ? "The provider has to show the person a page first. Begin again without prompt=none."
                    : "The provider ended the sign-in before the person finished its pages. Begin again.")
        case .refusedByProvider:
            .provider(502, .providerError, "The provider ended the sign-in with an error. Begin again.", .restart)
        }
    }

    private static func response(to error: ExchangeError) -> ErrorResponse {
        switch error {
        case .replayed: .replayed
        case .codeRejected:
            .invalidGrant(
                .codeRejected,
                "The provider does not accept the code: it is wrong, expired or used, or belongs to another redirect_uri or "
                    + "code_verifier. Sign in at the provider again.")
        case .provider(let failure, let givenBack): response(to: failure, givenBack: givenBack)
        case .store(let error, let givenBack): response(to: error, givenBack: givenBack)
        case .random: .internalError
        }
    }

    private static func response(to error: VerificationError) -> ErrorResponse {
        switch error {
        case .idToken(let error): response(to: error)
        case .replayed: .replayed
        case .unwatched: .issuedUnwatched
        case .audienceUnverifiable:
            .invalidGrant(
                .audienceUnverifiable,
                "An access token of this provider does not say for which application it was issued. Send an "
                    + "authorization_code, an id_token, or the callback of POST /v1/signin.")
        case .audienceMismatch:
            .invalidGrant(
                .audienceMismatch,
                "The provider says that the token was issued to another client. Send one that was issued to ours.")
        case .tokenRejected:
            .invalidGrant(
                .tokenRejected,
                "The provider does not accept the token as one that was issued to this deployment. Sign in at the provider again."
            )
        case .provider(let failure, let givenBack): response(to: failure, givenBack: givenBack)
        case .store(let error, let givenBack): response(to: error, givenBack: givenBack)
        case .random: .internalError
        }
    }

    static func response(to error: StoreError, givenBack: Bool? = nil) -> ErrorResponse {
        let retry: ErrorResponse.Retry = givenBack ?? error.nothingWasWritten ? .same : .restart
        guard error != .clockBehind else {
            return .unavailable(
                .clockBehind, "The clock of the server was set back. Retry after the time in Retry-After.", retry)
        }
        return error.isOfDirectory
            ? .unavailable(
                .directoryUnavailable, "Firebase does not answer. Retry after the time in Retry-After.", retry)
            : .unavailable(.storeUnavailable, "The store does not answer. Retry after the time in Retry-After.", retry)
    }

    private static func response(to error: MintingError, givenBack: Bool) -> ErrorResponse {
        switch error {
        case .signing:
            .unavailable(
                .signerUnavailable, "The server cannot sign now. Retry after the time in Retry-After.",
                givenBack ? .same : .restart)
        case .claims(.tooLarge):
            .provider(
                502, .providerResponseInvalid,
                "The claims of this person are longer than 1000 bytes. Shorten the claims in the configuration.",
                .restart)
        case .claims(.reserved): .internalError
        }
    }
}

extension ErrorTable {
    private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }

    /// A constant for each name of the server's own; the name of another parameter is only in the member `parameter`.
    private static func notAllowed(_ name: String) -> String {
        switch name {
        case "code_verifier": "This provider is configured without PKCE. Leave code_verifier out."
        case "nonce": "This provider is not an OpenID Provider. Leave nonce out."
        case "request": "Request objects are not supported. Send the parameters themselves."
        case "request_uri": "A pushed request takes no request_uri. Send the parameters themselves."
        case "intent": "A flow with an intent begins at POST /par with the Firebase ID token of the user as bearer."
        case "actor_token", "actor_token_type":
            "Delegation is not supported. Leave out actor_token and actor_token_type."
        default:
            "The provider's allowed_parameters do not list this parameter. Leave it out, or add it to the configuration."
        }
    }
}
