internal import Standards

/// The operations of the public listener, by their `operationId` in the API description.
enum Operation: String, CaseIterable {
    case exchange
    case signIn = "signin"
    case nonce
    case anonymous
    case account
    case deleteAccount = "delete_account"
    case link
    case unlink
    case reauthenticate
    case merge
    case signOut = "signout"
    case providerToken = "provider_token"
    case factors
    case addFactor = "add_factor"
    case confirmFactor = "confirm_factor"
    case removeFactor = "remove_factor"
    case token
    case pushedRequest = "par"
    case deviceAuthorization = "device_authorization"
    case metadata
    case openIDConfiguration = "openid_configuration"
    case openAPI = "openapi"
    case authorize
    case choose
    case callback
    case device
    case answerDevice = "answer_device"
    case home
    case logo

    /// Whether an error response is a page or a redirect instead of JSON.
    var returnsPages: Bool {
        switch self {
        case .authorize, .choose, .callback, .device, .answerDevice, .home, .logo: true
        default: false
        }
    }

    /// Returns the status of this operation for a reason.
    func status(of reason: Reason) -> Int {
        if self == .token, [403, 409].contains(reason.status) { return 400 }
        if returnsPages, [401, 403, 409].contains(reason.status) { return 400 }
        return reason.status
    }

    /// Returns the possible values of `error` of this operation for a reason.
    ///
    /// At `/token` an invalid subject token is `invalid_request` (RFC 8693 §2.2.2), an invalid code `invalid_grant`. A
    /// conflict that the person did not settle on a page is `access_denied`.
    func errors(of reason: Reason) -> [String] {
        if reason == .accountExists, returnsPages { return ["access_denied"] }
        if reason == .accountExists, self == .token { return [reason.error, "access_denied"] }
        return self == .token && reason.error == "invalid_grant"
            ? ["invalid_grant", "invalid_request"] : [reason.error]
    }
}

/// The reasons for which each operation refuses a request.
///
/// `method_not_allowed` is not listed, and `not_found` only for logos: otherwise they occur if a request matches no
/// operation.
extension Operation {
    var reasons: Set<Reason> { Self.transport.union(ownReasons) }

    private var ownReasons: [Reason] {
        switch self {
        case .exchange:
            Self.json + Self.client + Self.provider + Self.credential + Self.session + Self.pending + Self.signingIn
                + Self.limited + Self.code
        case .signIn:
            Self.json + Self.client + Self.provider + Self.beginning + Self.bearer + Self.limited
                + [.reservedParameter]
        case .nonce: Self.json + Self.client + Self.provider + Self.limited
        case .anonymous: Self.json + Self.client + Self.signingIn + Self.limited + [.anonymousDisabled]
        case .account: Self.client + Self.bearer + Self.limited + [.unknownField]
        case .deleteAccount: Self.client + Self.bearer + Self.limited + [.unknownField, .requiresRecentLogin]
        case .link:
            Self.json + Self.client + Self.provider + Self.bearer + Self.credential + Self.session + Self.handoff
                + Self.pending + Self.limited
                + [
                    .requiresRecentLogin, .userMismatch, .credentialAlreadyInUse,
                    .providerAlreadyLinked, .signerUnavailable,
                ] + Self.hook
        case .unlink:
            Self.json + Self.client + Self.provider + Self.bearer + Self.limited
                + [.requiresRecentLogin, .noSuchProvider, .lastIdentity]
        case .reauthenticate:
            Self.json + Self.client + Self.provider + Self.bearer + Self.credential + Self.session + Self.handoff
                + Self.signingIn + Self.limited + [.userMismatch, .freshLoginUnavailable]
        case .merge:
            Self.json + Self.client + Self.provider + Self.bearer + Self.pending + Self.limited
                + [
                    .requiresRecentLogin, .userMismatch, .credentialAlreadyInUse,
                    .providerAlreadyLinked, .mergeNotPossible, .signerUnavailable,
                ] + Self.hook
        case .signOut:
            Self.json + Self.client + Self.provider + Self.bearer + Self.calls + Self.limited
                + [.parameterNotAllowed]
        case .providerToken:
            Self.json + Self.client + Self.provider + Self.bearer + Self.calls + Self.limited
                + [
                    .providerTokensDisabled, .noSuchProvider, .unsupportedCredential, .userMismatch,
                    .providerAccountDisabled, .tokenRejected, .audienceMismatch, .issuerMismatch, .signatureInvalid,
                    .algorithmNotAllowed, .unknownKey, .expired, .notYetValid, .accessTokenHashMismatch,
                    .malformedToken, .lifetimeTooLong,
                ]
        case .factors: Self.client + Self.bearer + Self.limited + [.unknownField, .requiresRecentLogin]
        case .addFactor:
            Self.json + Self.client + Self.bearer + Self.limited
                + [.requiresRecentLogin, .notForAnonymous, .tooManyFactors]
        case .confirmFactor:
            Self.json + Self.client + Self.bearer + Self.limited
                + [
                    .requiresRecentLogin, .secondFactorRequired, .noSuchFactor, .tooManyFactors, .secondFactorInvalid,
                ]
        case .removeFactor:
            Self.json + Self.client + Self.bearer + Self.limited + Self.code + [.requiresRecentLogin, .noSuchFactor]
        case .token:
            Self.form + Self.client + Self.provider + Self.credential + Self.handoff + Self.signingIn + Self.limited
                + [
                    .unsupportedGrantType, .unauthorizedClient, .invalidTarget, .authorizationPending, .slowDown,
                    .expiredToken, .accessDenied,
                ]
        case .pushedRequest:
            Self.form + Self.client + Self.provider + Self.beginning + Self.bearer + Self.limited
                + [.pkceRequired, .unsupportedResponseType, .unauthorizedClient]
        case .deviceAuthorization:
            Self.form + Self.client + Self.provider + Self.store + Self.limited
                + [.unauthorizedClient, .invalidScope]
        case .metadata, .openIDConfiguration, .openAPI, .home: Self.limited
        case .logo: Self.limited + [.notFound]
        case .authorize:
            Self.query + Self.provider + Self.beginning + Self.sealed + Self.store + Self.limited
                + [
                    .unknownClient, .missingField, .pkceRequired, .unsupportedResponseType, .unauthorizedClient,
                    .loginRequired, .accountSelectionRequired, .interactionRequired,
                ]
        case .choose:
            Self.form + Self.provider + Self.beginning + Self.sealed + Self.store + Self.limited
                + [
                    .originNotAllowed, .accessDenied, .accountExists, .secondFactorInvalid, .secondFactorLocked,
                    .codeRejected,
                    .userDisabled, .accountGone, .providerAlreadyLinked, .intentMismatch,
                ] + Self.hook
        case .callback:
            Self.query + Self.provider + Self.callbackResponse + Self.identity + Self.calls + Self.sealed + Self.store
                + Self.limited + Self.hook
                + [
                    .unknownClient, .redirectURINotAllowed, .parameterNotAllowed, .stateMismatch, .callbackMismatch,
                    .codeRejected, .emailDomainNotAllowed,
                    .unauthorizedClient, .accountExists, .userDisabled, .secondFactorRequired, .providerAlreadyLinked,
                    .accountGone, .directoryUnavailable,
                ]
        case .device: Self.query + Self.limited + [.sessionInvalid]
        case .answerDevice:
            Self.form + Self.provider + Self.beginning + Self.sealed + Self.store + Self.limited
                + [.originNotAllowed, .codeRejected, .unauthorizedClient]
        }
    }

    /// Reasons of every operation, from checks before the operation reads the request.
    private static let transport: Set<Reason> = [
        .malformedBody, .uriTooLong, .headersTooLarge, .overloaded, .draining, .internal,
    ]
    private static let limited: [Reason] = [.rateLimited]
    private static let body: [Reason] = [
        .malformedBody, .missingField, .duplicateParameter, .bodyTooLarge, .unsupportedMediaType,
    ]
    private static let json = body + [.unknownField]
    private static let form = body + [.unknownClient]
    private static let query: [Reason] = [.malformedBody, .duplicateParameter]
    /// Checks of the client, its web origins and its App Check.
    private static let client: [Reason] = [
        .unknownClient, .originNotAllowed, .appCheckRequired, .appCheckInvalid, .directoryUnavailable,
    ]
    private static let provider: [Reason] = [.unknownProvider, .providerDisabled]
    private static let store: [Reason] = [.storeUnavailable, .clockBehind]
    private static let bearer: [Reason] =
        store + [
            .idTokenMissing, .idTokenInvalid, .idTokenExpired, .idTokenRevoked, .accountGone, .userDisabled,
            .secondFactorRequired, .directoryUnavailable,
        ]
    /// Requests to the provider.
    private static let calls: [Reason] = [
        .providerError, .providerUnreachable, .providerTimeout, .providerResponseInvalid, .providerRefusesUs,
    ]
    /// The authorization request at the start of a flow.
    private static let beginning: [Reason] =
        calls + [.redirectURINotAllowed, .parameterNotAllowed, .invalidScope, .freshLoginUnavailable]
    /// Values that are sealed by this server, or stored under a handle, and valid once.
    private static let sealed: [Reason] = [.sessionInvalid, .expired, .replayed, .issuedUnwatched]
    /// The response of the provider in the redirect.
    private static let callbackResponse: [Reason] = [
        .accessDenied, .invalidScope, .loginRequired, .accountSelectionRequired, .consentRequired, .interactionRequired,
        .issuerMismatch,
    ]
    /// Tokens of the provider, and its data about the user.
    private static let identity: [Reason] = [
        .audienceMismatch, .issuerMismatch, .signatureInvalid, .algorithmNotAllowed, .unknownKey, .expired,
        .notYetValid,
        .tooOld, .nonceMismatch, .accessTokenHashMismatch, .tokenRejected, .malformedToken, .lifetimeTooLong,
        .freshLoginUnproven, .issuedUnwatched, .replayed, .providerAccountDisabled,
    ]
    /// Credentials that the application sends.
    private static let credential: [Reason] =
        identity + calls + store + [
            .unsupportedCredential, .unknownCredentialType, .redirectURINotAllowed, .pkceRequired, .parameterNotAllowed,
            .audienceUnverifiable, .codeRejected,
        ]
    /// A session of `POST /v1/signin` and its callback.
    private static let session: [Reason] =
        callbackResponse + sealed + [.stateMismatch, .callbackMismatch, .intentMismatch]
    private static let handoff: [Reason] = [
        .unauthorizedClient, .codeRejected, .pkceRequired, .proofKeyMismatch, .expired, .replayed, .intentMismatch,
        .issuedUnwatched, .userMismatch,
    ]
    private static let pending: [Reason] = [.codeRejected, .expired, .replayed, .intentMismatch, .issuedUnwatched]
    /// Codes of second factors.
    private static let code: [Reason] = [.secondFactorInvalid, .secondFactorLocked]
    private static let hook: [Reason] = [.blockedByHook, .hookUnavailable]
    /// The account of an identity, and the custom token for it.
    private static let signingIn: [Reason] =
        store + hook + [
            .emailDomainNotAllowed, .userDisabled, .secondFactorRequired, .accountExists, .signerUnavailable,
            .directoryUnavailable,
            .providerResponseInvalid, .providerError,
        ]
}
