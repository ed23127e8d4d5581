internal import HTTPTypes
internal import Standards

/// All endpoints of the public listener.
extension Endpoint {
    static let all = [
        exchange, signIn, nonce, anonymous, account, link, unlink, reauthenticate, merge, signOut, providerToken,
        revocation,
        factors, confirmFactor, removeFactor, token, pushedRequest, deviceAuthorization, metadata, openIDConfiguration,
        openAPI, events, home, authorize, callback, device, logo,
    ]

    // MARK: - Sign-ins of applications

    static let exchange = Endpoint(
        "/v1/exchange",
        .post(
            .json, rate: \.exchanges, mints: true, .application(ApplicationRoutes.exchange),
            client, provider, credential, session, pending, signingIn, code))

    static let signIn = Endpoint(
        "/v1/signin",
        .post(
            .json, rate: \.starts, .application(ApplicationRoutes.signIn),
            client, provider, beginning, bearer, [.reservedParameter, .requiresRecentLogin]))

    static let nonce = Endpoint(
        "/v1/nonce",
        .post(.json, rate: \.starts, .application(ApplicationRoutes.nonce), client, provider))

    static let anonymous = Endpoint(
        "/v1/anonymous",
        .post(
            .json, rate: \.anonymous, mints: true, .application(ApplicationRoutes.signInAnonymously),
            client, signingIn, [.anonymousDisabled]))

    // MARK: - Accounts

    static let account = Endpoint(
        "/v1/account",
        .get(rate: \.exchanges, .account(isChange: false, AccountRoutes.show), ofQuery),
        .delete(
            rate: \.exchanges, .account(isChange: true, AccountRoutes.delete), ofQuery, [.requiresRecentLogin]))

    static let link = Endpoint(
        "/v1/account/link",
        .post(
            .json, rate: \.exchanges, .account(isChange: true, AccountRoutes.link),
            client, provider, bearer, credential, session, handoff, pending, hook,
            [
                .requiresRecentLogin, .userMismatch, .credentialAlreadyInUse, .providerAlreadyLinked,
                .signerUnavailable,
            ]))

    static let unlink = Endpoint(
        "/v1/account/unlink",
        .post(
            .json, rate: \.exchanges, .account(isChange: true, AccountRoutes.unlink),
            client, provider, bearer, [.requiresRecentLogin, .noSuchProvider, .lastIdentity]))

    static let reauthenticate = Endpoint(
        "/v1/account/reauthenticate",
        .post(
            .json, rate: \.exchanges, mints: true, .account(isChange: true, AccountRoutes.reauthenticate),
            client, provider, bearer, credential, session, handoff, signingIn,
            [.userMismatch, .freshLoginUnavailable]))

    static let merge = Endpoint(
        "/v1/account/merge",
        .post(
            .json, rate: \.exchanges, .account(isChange: true, AccountRoutes.merge),
            client, provider, bearer, pending, hook,
            [
                .requiresRecentLogin, .userMismatch, .credentialAlreadyInUse, .providerAlreadyLinked,
                .mergeNotPossible, .signerUnavailable,
            ]))

    static let signOut = Endpoint(
        "/v1/account/signout",
        .post(
            .json, rate: \.exchanges, .account(isChange: true, AccountRoutes.signOut),
            client, provider, bearer, calls, [.parameterNotAllowed]))

    static let providerToken = Endpoint(
        "/v1/provider-token",
        .post(
            .json, rate: \.exchanges, .account(isChange: false, AccountRoutes.refresh),
            client, provider, bearer, calls,
            [
                .providerTokensDisabled, .noSuchProvider, .unsupportedCredential, .userMismatch,
                .providerAccountDisabled, .tokenRejected, .audienceMismatch, .issuerMismatch, .signatureInvalid,
                .algorithmNotAllowed, .unknownKey, .expired, .notYetValid, .accessTokenHashMismatch, .malformedToken,
                .lifetimeTooLong,
            ]))

    static let revocation = Endpoint(
        "/v1/provider-token/revoke",
        .post(
            .json, rate: \.exchanges, .account(isChange: false, AccountRoutes.revoke),
            client, provider, bearer, calls, [.parameterNotAllowed]))

    static let factors = Endpoint(
        "/v1/account/factors",
        .get(
            rate: \.exchanges, .account(isChange: false, AccountRoutes.factors),
            ofQuery, [.requiresRecentLogin]),
        .post(
            .json, rate: \.exchanges, .account(isChange: true, AccountRoutes.enroll),
            client, bearer, [.requiresRecentLogin, .notForAnonymous, .tooManyFactors]))

    static let confirmFactor = Endpoint(
        "/v1/account/factors/confirm",
        .post(
            .json, rate: \.exchanges, .account(isChange: true, AccountRoutes.confirmFactor),
            client, bearer,
            [.requiresRecentLogin, .secondFactorRequired, .noSuchFactor, .tooManyFactors, .secondFactorInvalid]))

    static let removeFactor = Endpoint(
        "/v1/account/factors/remove",
        .post(
            .json, rate: \.exchanges, .account(isChange: true, AccountRoutes.removeFactor),
            client, bearer, code, [.requiresRecentLogin, .noSuchFactor]))

    // MARK: - OAuth, for applications

    static let token = Endpoint(
        "/token",
        .post(
            .form, rate: nil, mints: true, .application(ApplicationRoutes.token),
            client, provider, credential, handoff, signingIn, limited,
            [
                .unsupportedGrantType, .unauthorizedClient, .invalidTarget, .authorizationPending, .slowDown,
                .expiredToken, .accessDenied,
            ]))

    static let pushedRequest = Endpoint(
        "/par",
        .post(
            .form, rate: \.starts, .application(ApplicationRoutes.push),
            client, provider, beginning, bearer,
            [.requiresRecentLogin, .pkceRequired, .unsupportedResponseType, .unauthorizedClient]))

    static let deviceAuthorization = Endpoint(
        "/device_authorization",
        .post(
            .form, rate: \.starts, .application(ApplicationRoutes.beginDevice),
            client, provider, store, [.unauthorizedClient, .invalidScope]))

    static let metadata = Endpoint(
        "/.well-known/oauth-authorization-server",
        .get(rate: \.pages, .application(ApplicationRoutes.metadata)))

    /// The same document, for libraries that know only OpenID Connect Discovery (RFC 8414 §5).
    static let openIDConfiguration = Endpoint(
        "/.well-known/openid-configuration",
        .get(rate: \.pages, .application(ApplicationRoutes.metadata)))

    static let openAPI = Endpoint(
        "/openapi.json",
        .get(rate: \.pages, .application(ApplicationRoutes.openAPI)))

    // MARK: - Messages of providers

    static let events = Endpoint(
        "/v1/events/{provider}",
        .post(
            .event, rate: nil, .provider(EventRoutes.receive),
            provider, store, limited,
            [
                .audienceMismatch, .issuerMismatch, .signatureInvalid, .algorithmNotAllowed, .unknownKey, .expired,
                .notYetValid, .tooOld, .lifetimeTooLong, .malformedToken, .unsupportedCredential, .replayed,
                .directoryUnavailable, .providerUnreachable, .providerTimeout, .providerError,
                .providerResponseInvalid, .providerRefusesUs,
            ]))

    // MARK: - Pages, for people

    static let home = Endpoint("/", .get(rate: \.pages, .page(PageRoutes.home)))

    static let authorize = Endpoint(
        "/authorize",
        .get(
            .query, rate: \.starts, .page(PageRoutes.authorize),
            provider, beginning, sealed, store,
            [
                .unknownClient, .missingField, .pkceRequired, .unsupportedResponseType, .unauthorizedClient,
                .loginRequired, .accountSelectionRequired, .interactionRequired,
            ]),
        .post(
            .form, rate: \.starts, .page(PageRoutes.choose),
            provider, beginning, sealed, store, hook,
            [
                .originNotAllowed, .accessDenied, .accountExists, .secondFactorInvalid, .secondFactorLocked,
                .codeRejected, .userDisabled, .accountGone, .providerAlreadyLinked, .intentMismatch,
            ]))

    static let callback = Endpoint(
        "/callback/{provider}",
        .get(
            .query, rate: \.pages, .page(PageRoutes.callback),
            provider, callbackResponse, identity, calls, sealed, store, hook,
            [
                .unknownClient, .redirectURINotAllowed, .parameterNotAllowed, .stateMismatch, .callbackMismatch,
                .codeRejected, .emailDomainNotAllowed, .unauthorizedClient, .accountExists, .userDisabled,
                .secondFactorRequired, .providerAlreadyLinked, .accountGone, .directoryUnavailable,
            ]),
        .post(
            .formOfProvider, rate: \.pages, .page(PageRoutes.relay),
            [.unknownProvider, .callbackMismatch, .methodNotAllowed]))

    static let device = Endpoint(
        "/device",
        .get(.query, rate: \.pages, .page(PageRoutes.enterCode), [.sessionInvalid]),
        .post(
            .form, rate: \.pages, .page(PageRoutes.answerDevice),
            provider, beginning, sealed, store, [.originNotAllowed, .codeRejected, .unauthorizedClient]))

    static let logo = Endpoint(
        "/logo/{digest}",
        .get(rate: \.pages, .page(PageRoutes.logo), [.notFound]))
}

extension Endpoint.Operation {
    fileprivate static func get(
        _ body: Endpoint.Body = .none, rate: @escaping Endpoint.Rate, _ handler: Endpoint.Handler,
        _ reasons: [Reason]...
    ) -> Self {
        Self(.get, body, rate, mints: false, handler, reasons)
    }

    fileprivate static func delete(
        rate: @escaping Endpoint.Rate, _ handler: Endpoint.Handler, _ reasons: [Reason]...
    ) -> Self {
        Self(.delete, .none, rate, mints: false, handler, reasons)
    }

    fileprivate static func post(
        _ body: Endpoint.Body, rate: Endpoint.Rate?, mints: Bool = false, _ handler: Endpoint.Handler,
        _ reasons: [Reason]...
    ) -> Self {
        Self(.post, body, rate, mints: mints, handler, reasons)
    }

    private init(
        _ method: HTTPRequest.Method, _ body: Endpoint.Body, _ rate: Endpoint.Rate?, mints: Bool,
        _ handler: Endpoint.Handler, _ reasons: [[Reason]]
    ) {
        let inherited = Endpoint.transport + Endpoint.reasons(of: body) + (rate == nil ? [] : Endpoint.limited)
        self.init(
            method: method, body: body, rate: rate, mints: mints, reasons: Set(inherited + reasons.joined()),
            handler: handler)
    }
}

/// Reasons that several operations have.
extension Endpoint {
    /// Reasons of every operation, from checks before the operation reads the request.
    fileprivate static let transport: [Reason] = [
        .malformedBody, .uriTooLong, .headersTooLarge, .overloaded, .draining, .internal,
    ]
    fileprivate static let limited: [Reason] = [.rateLimited]

    fileprivate static func reasons(of body: Body) -> [Reason] {
        let malformed: [Reason] = [.malformedBody, .duplicateParameter]
        let unreadable = malformed + [.bodyTooLarge, .unsupportedMediaType, .missingField]
        return switch body {
        case .none: []
        case .query: malformed
        case .event: malformed + [.bodyTooLarge, .unsupportedMediaType, .missingField]
        case .formOfProvider: malformed + [.bodyTooLarge, .unsupportedMediaType]
        case .form: unreadable + [.unknownClient]
        case .json: unreadable + [.unknownField]
        }
    }

    /// Checks of the client, its web origins and its App Check.
    fileprivate static let client: [Reason] = [
        .unknownClient, .originNotAllowed, .appCheckRequired, .appCheckInvalid, .directoryUnavailable,
    ]
    fileprivate static let provider: [Reason] = [.unknownProvider, .providerDisabled]
    fileprivate static let store: [Reason] = [.storeUnavailable, .clockBehind]
    fileprivate static let bearer: [Reason] =
        store + [
            .idTokenMissing, .idTokenInvalid, .idTokenExpired, .idTokenRevoked, .accountGone, .userDisabled,
            .secondFactorRequired, .directoryUnavailable,
        ]
    /// A request of a user whose only parameter is in the query: `?client_id=my-app`.
    fileprivate static let ofQuery = client + bearer + [.unknownField]
    /// Requests to the provider.
    fileprivate static let calls: [Reason] = [
        .providerError, .providerUnreachable, .providerTimeout, .providerResponseInvalid, .providerRefusesUs,
    ]
    /// The authorization request at the start of a flow.
    fileprivate static let beginning: [Reason] =
        calls + [.redirectURINotAllowed, .parameterNotAllowed, .invalidScope, .freshLoginUnavailable]
    /// Values that are sealed by this server, or stored under a handle, and valid once.
    fileprivate static let sealed: [Reason] = [.sessionInvalid, .expired, .replayed, .issuedUnwatched]
    /// The response of the provider in the redirect.
    fileprivate static let callbackResponse: [Reason] = [
        .accessDenied, .invalidScope, .loginRequired, .accountSelectionRequired, .consentRequired, .interactionRequired,
        .issuerMismatch,
    ]
    /// Tokens of the provider, and its data about the user.
    fileprivate static let identity: [Reason] = [
        .audienceMismatch, .issuerMismatch, .signatureInvalid, .algorithmNotAllowed, .unknownKey, .expired,
        .notYetValid,
        .tooOld, .nonceMismatch, .accessTokenHashMismatch, .tokenRejected, .malformedToken, .lifetimeTooLong,
        .freshLoginUnproven, .issuedUnwatched, .replayed, .providerAccountDisabled,
    ]
    /// Credentials that the application sends.
    fileprivate static let credential: [Reason] =
        identity + calls + store + [
            .unsupportedCredential, .unknownCredentialType, .redirectURINotAllowed, .pkceRequired, .parameterNotAllowed,
            .audienceUnverifiable, .codeRejected,
        ]
    /// A session of `POST /v1/signin` and its callback.
    fileprivate static let session: [Reason] =
        callbackResponse + sealed + [.stateMismatch, .callbackMismatch, .intentMismatch]
    fileprivate static let handoff: [Reason] = [
        .unauthorizedClient, .codeRejected, .pkceRequired, .proofKeyMismatch, .expired, .replayed, .intentMismatch,
        .issuedUnwatched, .userMismatch,
    ]
    fileprivate static let pending: [Reason] = [.codeRejected, .expired, .replayed, .intentMismatch, .issuedUnwatched]
    /// Codes of second factors.
    fileprivate static let code: [Reason] = [.secondFactorInvalid, .secondFactorLocked]
    fileprivate static let hook: [Reason] = [.blockedByHook, .hookUnavailable]
    /// The account of an identity, and the custom token for it.
    fileprivate static let signingIn: [Reason] =
        store + hook + [
            .emailDomainNotAllowed, .userDisabled, .secondFactorRequired, .accountExists, .signerUnavailable,
            .directoryUnavailable,
            // The profile of a new account is not there, or makes the claims of the custom token too long.
            .providerError, .providerResponseInvalid,
        ]
}
