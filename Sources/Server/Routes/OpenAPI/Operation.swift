/// The operations of the public listener, by the `operationId` that they have in the description.
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
    case token
    case pushedRequest = "par"
    case deviceAuthorization = "device_authorization"
    case metadata
    case openAPI = "openapi"
    case authorize
    case choose
    case callback
    case device
    case answerDevice = "answer_device"

    /// `true` if a refusal is a page or a redirect, and not JSON.
    var answersPages: Bool {
        switch self {
        case .authorize, .choose, .callback, .device, .answerDevice: true
        default: false
        }
    }

    /// The status that this operation answers with for a reason.
    func status(of reason: Reason) -> Int {
        if self == .token, [403, 409].contains(reason.status) { return 400 }
        if answersPages, [401, 403, 409].contains(reason.status) { return 400 }
        return reason.status
    }

    /// The values of `error` that this operation has for a reason.
    ///
    /// At `/token` a bad subject token is `invalid_request` (RFC 8693 §2.2.2), a bad code `invalid_grant`.
    func errors(of reason: Reason) -> [String] {
        self == .token && reason.error == "invalid_grant" ? ["invalid_grant", "invalid_request"] : [reason.error]
    }
}

/// Why each operation refuses a request.
///
/// `not_found` and `method_not_allowed` belong to no operation: nothing is there that could have one.
extension Operation {
    var reasons: Set<Reason> { Self.transport.union(ownReasons) }

    private var ownReasons: [Reason] {
        switch self {
        case .exchange:
            Self.json + Self.client + Self.provider + Self.credential + Self.session + Self.pending + Self.signingIn
                + Self.limited
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
                    .providerAlreadyLinked,
                ]
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
                    .providerAlreadyLinked, .mergeNotPossible,
                ]
        case .signOut:
            Self.json + Self.client + Self.provider + Self.bearer + Self.calls + Self.limited
                + [.parameterNotAllowed]
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
        case .metadata, .openAPI: Self.limited
        case .authorize:
            Self.query + Self.provider + Self.beginning + Self.sealed + Self.store + Self.limited
                + [
                    .unknownClient, .missingField, .pkceRequired, .unsupportedResponseType, .unauthorizedClient,
                ]
        case .choose:
            Self.form + Self.provider + Self.beginning + Self.sealed + Self.store + Self.limited
                + [.originNotAllowed, .accessDenied]
        case .callback:
            Self.query + Self.provider + Self.callbackAnswer + Self.identity + Self.calls + Self.sealed + Self.store
                + Self.limited
                + [
                    .unknownClient, .redirectURINotAllowed, .stateMismatch, .callbackMismatch, .codeRejected,
                    .unauthorizedClient,
                ]
        case .device: Self.query + Self.limited + [.sessionInvalid]
        case .answerDevice:
            Self.form + Self.provider + Self.beginning + Self.sealed + Self.store + Self.limited
                + [.originNotAllowed, .codeRejected, .unauthorizedClient]
        }
    }

    /// The reasons that every request can meet before an operation reads it.
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
    /// The client, its web origins and its App Check.
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
    /// Calls to the provider.
    private static let calls: [Reason] = [
        .providerError, .providerUnreachable, .providerTimeout, .providerResponseInvalid, .providerRefusesUs,
    ]
    /// The authorization request that a flow begins with.
    private static let beginning: [Reason] =
        calls + [.redirectURINotAllowed, .parameterNotAllowed, .invalidScope, .freshLoginUnavailable]
    /// Values that this server sealed, or keeps under a handle, and takes once.
    private static let sealed: [Reason] = [.sessionInvalid, .expired, .replayed, .issuedUnwatched]
    /// What the provider puts into the redirect.
    private static let callbackAnswer: [Reason] = [
        .accessDenied, .invalidScope, .loginRequired, .accountSelectionRequired, .consentRequired, .interactionRequired,
        .issuerMismatch,
    ]
    /// Tokens of the provider, and what it says of the person.
    private static let identity: [Reason] = [
        .audienceMismatch, .issuerMismatch, .signatureInvalid, .algorithmNotAllowed, .unknownKey, .expired,
        .notYetValid,
        .tooOld, .nonceMismatch, .accessTokenHashMismatch, .tokenRejected, .malformedToken, .lifetimeTooLong,
        .freshLoginUnproven, .issuedUnwatched, .replayed, .providerAccountDisabled,
    ]
    /// Credentials that the application posts.
    private static let credential: [Reason] =
        identity + calls + store + [
            .unsupportedCredential, .unknownCredentialType, .redirectURINotAllowed, .pkceRequired, .parameterNotAllowed,
            .audienceUnverifiable, .codeRejected,
        ]
    /// A session of `POST /v1/signin` and its callback.
    private static let session: [Reason] =
        callbackAnswer + sealed + [.stateMismatch, .callbackMismatch, .intentMismatch]
    private static let handoff: [Reason] = [
        .unauthorizedClient, .codeRejected, .pkceRequired, .proofKeyMismatch, .expired, .replayed, .intentMismatch,
        .issuedUnwatched, .userMismatch,
    ]
    private static let pending: [Reason] = [.codeRejected, .expired, .replayed, .intentMismatch, .issuedUnwatched]
    /// The account of an identity, and the token for it.
    private static let signingIn: [Reason] =
        store + [
            .userDisabled, .secondFactorRequired, .accountExists, .signerUnavailable, .directoryUnavailable,
            .providerResponseInvalid, .providerError,
        ]
}
