internal import Flows
internal import JOSE
internal import Providers
internal import Standards
internal import Verification

extension PageProblem {
    /// Selects the problem page for a refusal: by its text if its reason has several pages, and by its reason otherwise.
    ///
    /// - Parameter isOfApplication: Whether the flow is that of an application in this browser, to which no page tells of a device.
    init(_ refusal: Refusal, isOfApplication: Bool = false) {
        let page = Self.pages.first { $0.refusal.description == refusal.description }?.page
        let isOfIDToken = refusal.cause is JOSEError || refusal.cause is ClaimsMismatch
        let problem = page ?? (isOfIDToken ? .providerFailed : Self(refusal.reason))
        self = isOfApplication && problem.concernsDevice ? .unavailable : problem
    }

    private static let pages: [(refusal: Refusal, page: PageProblem)] = [
        (.unknownBrowserFlow, .signInEnded), (.unknownRequestURI, .signInEnded), (.unknownForm, .deviceFormEnded),
        (.expiredForm, .deviceFormEnded), (.unknownPendingCredential, .signInEnded), (.otherUse, .signInEnded),
        (.takenUserCode, .deviceCodeTaken), (.unknownUserCode, .deviceCodeEnded), (.submittedForm, .deviceCodeEnded),
        (.unexpectedForm(of: ProviderID("")), .unusableResponse), (.stateMissing, .unusableResponse),
        (.protocolGone, .unavailable),
    ]

    private init(_ reason: Reason) {
        self =
            switch reason {
            case .notFound: .notFound
            case .methodNotAllowed, .uriTooLong, .headersTooLarge: .methodNotAllowed
            case .rateLimited: .tooManyRequests
            case .unknownClient, .unauthorizedClient: .unknownApplication
            case .redirectURINotAllowed: .redirectNotAllowed
            case .expired, .replayed: .signInEnded
            case .accountExists: .accountExists
            case .secondFactorLocked: .secondFactorLocked
            case .emailDomainNotAllowed: .emailDomainNotAllowed
            case .blockedByHook, .userDisabled: .blockedByHook
            case .accessDenied, .providerAccountDisabled: .accessDenied
            case .sessionInvalid, .stateMismatch: .stateMismatch
            case .issuerMismatch, .callbackMismatch: .unusableResponse
            case .loginRequired, .accountSelectionRequired, .consentRequired, .interactionRequired, .invalidScope,
                .providerError, .providerUnreachable, .providerTimeout, .providerResponseInvalid, .providerRefusesUs,
                .codeRejected, .tokenRejected:
                .providerFailed
            case .issuedUnwatched, .storeUnavailable, .directoryUnavailable, .clockBehind, .signerUnavailable,
                .hookUnavailable,
                .overloaded, .draining, .userMismatch, .accountGone, .secondFactorRequired, .providerAlreadyLinked:
                .unavailable
            case .internal: .internalError
            case .malformedBody, .unknownField, .missingField, .duplicateParameter, .unknownProvider,
                .reservedParameter, .parameterNotAllowed, .pkceRequired, .unsupportedCredential, .unknownCredentialType,
                .freshLoginUnavailable, .audienceMismatch, .audienceUnverifiable, .signatureInvalid,
                .algorithmNotAllowed, .unknownKey, .notYetValid, .tooOld, .nonceMismatch, .accessTokenHashMismatch,
                .intentMismatch, .proofKeyMismatch, .malformedToken, .lifetimeTooLong, .freshLoginUnproven,
                .secondFactorInvalid, .unsupportedGrantType, .unsupportedResponseType, .invalidTarget,
                .authorizationPending, .slowDown, .expiredToken, .idTokenMissing, .idTokenInvalid, .idTokenExpired,
                .idTokenRevoked, .requiresRecentLogin, .appCheckRequired, .appCheckInvalid, .notForAnonymous,
                .anonymousDisabled, .originNotAllowed, .providerDisabled, .providerTokensDisabled,
                .credentialAlreadyInUse, .noSuchProvider, .lastIdentity, .mergeNotPossible, .noSuchFactor,
                .tooManyFactors, .bodyTooLarge, .unsupportedMediaType:
                .malformedRequest
            }
    }
}

extension Page {
    init(_ prompt: SignInPrompt) {
        self = .signIn(
            application: prompt.client.name, purpose: SignInPurpose(prompt.purpose),
            account: prompt.account.map(AccountShown.init), destination: Destination(of: prompt.redirectURI),
            providers: prompt.providers.map(ProviderChoice.init), flow: prompt.handle.secretText)
    }

    init(_ prompt: ConflictPrompt) {
        self = .settleConflict(
            application: prompt.client.name, provider: prompt.provider, person: prompt.person,
            signInMethods: prompt.signInMethods,
            providers: prompt.providers.map(ProviderChoice.init), isFull: prompt.isFull,
            isRepeated: prompt.isRepeated, flow: prompt.handle.secretText)
    }

    init(_ prompt: ChallengePrompt) {
        self = .secondFactor(
            application: prompt.client.name, isRepeated: prompt.isRepeated, flow: prompt.handle.secretText)
    }

    init(_ prompt: DevicePrompt) {
        self = .confirmDevice(
            application: prompt.client.name, userCode: prompt.userCode.description,
            providers: prompt.providers.map(ProviderChoice.init), flow: prompt.form.field.secretText)
    }

    init(_ approval: DeviceApproval) {
        self = .approveDevice(
            application: approval.client.name, provider: approval.provider, person: approval.person,
            flow: approval.form.field.secretText)
    }

    /// - Parameter typed: The content of the field for the code, if the page has one.
    init(_ page: DevicePage, typed: String) {
        self =
            switch page {
            case .enterCode(let form): .enterCode(code: typed, problem: nil, flow: form.field.secretText)
            case .confirm(let prompt): Self(prompt)
            case .approve(let approval): Self(approval)
            }
    }

    init(_ response: ResponsePage) {
        let fields = response.parameters.map { ResponseField(name: $0.name, value: $0.value.secretText) }
        self =
            switch response.way {
            case .form(let action): .formPost(action: action, origin: response.origin, fields: fields)
            case .message: .webMessage(origin: response.origin, fields: fields)
            }
    }
}

extension DevicePage {
    /// The client that the page names; `nil` for the page that asks for a code.
    var client: RegisteredClient? {
        switch self {
        case .enterCode: nil
        case .confirm(let prompt): prompt.client
        case .approve(let approval): approval.client
        }
    }
}

extension PageBranding {
    init(_ client: RegisteredClient) {
        let branding = client.branding
        self.init(
            application: client.name, logo: branding.logo.map { Endpoint.logo.prefix + $0.digest },
            accent: branding.accentColor.flatMap(AccentColor.init), privacyURL: branding.privacyURL,
            termsURL: branding.termsURL, supportURL: branding.supportURL)
    }
}

extension ProviderChoice {
    fileprivate init(_ provider: Provider) {
        self.init(id: provider.id.text, name: provider.name)
    }
}

extension AccountShown {
    /// - Parameter account: The name of the account, and the name of its provider; `nil` if the provider is unknown.
    init(_ account: (name: AccountName, provider: String?)) {
        self =
            if account.name.isGuest {
                .guest(uidEnd: account.name.uidEnd)
            } else if let person = account.name.person {
                .person(person, provider: account.provider)
            } else {
                .unnamed(provider: account.provider, uidEnd: account.name.uidEnd)
            }
    }
}

extension Destination {
    /// Describes the redirect URI of an application for the user.
    init(of redirectURI: String) {
        let halves = redirectURI.split(separator: ":", maxSplits: 1)
        let host = halves.last?.drop { $0 == "/" }.prefix { !"/?#:".contains($0) } ?? ""
        self =
            switch halves.first {
            case "https": .website(host: String(host))
            // Only loopback addresses can be registered with http.
            case "http": .thisDevice
            case let scheme: .application(scheme: String(scheme ?? ""))
            }
    }
}

extension SignInPurpose {
    init(_ purpose: AccountIntent.Purpose?) {
        self =
            switch purpose {
            case nil: .signIn
            case .link: .link
            case .reauthenticate: .reauthenticate
            }
    }
}
