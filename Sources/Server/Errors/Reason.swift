internal import Flows

/// The stable names of causes, independent of the text of the description.
enum Reason: String, Sendable, CaseIterable {
    // 400 invalid_request
    case malformedBody = "malformed_body"
    case unknownField = "unknown_field"
    case missingField = "missing_field"
    case duplicateParameter = "duplicate_parameter"
    case unknownProvider = "unknown_provider"
    case reservedParameter = "reserved_parameter"
    case parameterNotAllowed = "parameter_not_allowed"
    case redirectURINotAllowed = "redirect_uri_not_allowed"
    case pkceRequired = "pkce_required"
    case unsupportedCredential = "unsupported_credential"
    case unknownCredentialType = "unknown_credential_type"
    case freshLoginUnavailable = "fresh_login_unavailable"
    // 400 invalid_grant
    case audienceMismatch = "audience_mismatch"
    case audienceUnverifiable = "audience_unverifiable"
    case issuerMismatch = "issuer_mismatch"
    case signatureInvalid = "signature_invalid"
    case algorithmNotAllowed = "algorithm_not_allowed"
    case unknownKey = "unknown_key"
    case expired
    case notYetValid = "not_yet_valid"
    case tooOld = "too_old"
    case nonceMismatch = "nonce_mismatch"
    case accessTokenHashMismatch = "at_hash_mismatch"
    case stateMismatch = "state_mismatch"
    case sessionInvalid = "session_invalid"
    case callbackMismatch = "callback_mismatch"
    case intentMismatch = "intent_mismatch"
    case codeRejected = "code_rejected"
    case proofKeyMismatch = "pkce_mismatch"
    case tokenRejected = "token_rejected"
    case malformedToken = "malformed_token"
    case lifetimeTooLong = "lifetime_too_long"
    case freshLoginUnproven = "fresh_login_unproven"
    case issuedUnwatched = "issued_unwatched"
    case replayed
    case secondFactorInvalid = "second_factor_invalid"
    // 400 with the codes of their RFCs
    case invalidScope = "invalid_scope"
    case accessDenied = "access_denied"
    case loginRequired = "login_required"
    case accountSelectionRequired = "account_selection_required"
    case consentRequired = "consent_required"
    case interactionRequired = "interaction_required"
    case unsupportedGrantType = "unsupported_grant_type"
    case unsupportedResponseType = "unsupported_response_type"
    case unauthorizedClient = "unauthorized_client"
    case invalidTarget = "invalid_target"
    case authorizationPending = "authorization_pending"
    case slowDown = "slow_down"
    case expiredToken = "expired_token"
    // 401
    case unknownClient = "unknown_client"
    case idTokenMissing = "id_token_missing"
    case idTokenInvalid = "id_token_invalid"
    case idTokenExpired = "id_token_expired"
    case idTokenRevoked = "id_token_revoked"
    case accountGone = "account_gone"
    case requiresRecentLogin = "requires_recent_login"
    // 403
    case appCheckRequired = "app_check_required"
    case appCheckInvalid = "app_check_invalid"
    case userDisabled = "user_disabled"
    case providerAccountDisabled = "provider_account_disabled"
    case userMismatch = "user_mismatch"
    case secondFactorRequired = "second_factor_required"
    case secondFactorLocked = "second_factor_locked"
    case notForAnonymous = "not_for_anonymous"
    case anonymousDisabled = "anonymous_disabled"
    case originNotAllowed = "origin_not_allowed"
    case providerDisabled = "provider_disabled"
    case providerTokensDisabled = "provider_tokens_disabled"
    case emailDomainNotAllowed = "email_domain_not_allowed"
    case blockedByHook = "blocked_by_hook"
    // 409
    case credentialAlreadyInUse = "credential_already_in_use"
    case providerAlreadyLinked = "provider_already_linked"
    case accountExists = "account_exists_with_different_credential"
    case noSuchProvider = "no_such_provider"
    case lastIdentity = "last_identity"
    case mergeNotPossible = "merge_not_possible"
    case noSuchFactor = "no_such_factor"
    case tooManyFactors = "too_many_factors"
    // HTTP
    case notFound = "not_found"
    case methodNotAllowed = "method_not_allowed"
    case bodyTooLarge = "body_too_large"
    case uriTooLong = "uri_too_long"
    case unsupportedMediaType = "unsupported_media_type"
    case headersTooLarge = "headers_too_large"
    case rateLimited = "rate_limited"
    // 5xx
    case providerError = "provider_error"
    case providerUnreachable = "provider_unreachable"
    case providerTimeout = "provider_timeout"
    case providerResponseInvalid = "provider_response_invalid"
    case providerRefusesUs = "provider_refuses_us"
    case storeUnavailable = "store_unavailable"
    case directoryUnavailable = "directory_unavailable"
    case clockBehind = "clock_behind"
    case signerUnavailable = "signer_unavailable"
    case hookUnavailable = "hook_unavailable"
    case overloaded
    case draining
    case `internal`

    /// `true` if the audit trail records a refusal for this reason.
    ///
    /// It does not record early polls, unreadable requests and refusals that a client without a credential can cause in
    /// any number.
    var isAudited: Bool {
        switch self {
        case .authorizationPending, .slowDown, .malformedBody, .unknownField, .missingField, .duplicateParameter,
            .notFound, .methodNotAllowed, .bodyTooLarge, .uriTooLong, .unsupportedMediaType, .headersTooLarge,
            .rateLimited, .overloaded, .draining, .clockBehind:
            false
        default: true
        }
    }

    /// The error code of the Firebase client SDKs, so that an application can handle both in one place.
    var firebaseCode: String {
        switch self {
        case .unknownProvider: "auth/invalid-provider-id"
        case .malformedBody, .unknownField, .missingField, .duplicateParameter, .reservedParameter,
            .parameterNotAllowed, .redirectURINotAllowed, .pkceRequired, .unsupportedCredential,
            .unknownCredentialType, .freshLoginUnavailable:
            "auth/argument-error"
        case .audienceMismatch, .audienceUnverifiable, .issuerMismatch, .signatureInvalid, .algorithmNotAllowed,
            .unknownKey, .expired, .notYetValid, .tooOld, .nonceMismatch, .accessTokenHashMismatch, .stateMismatch,
            .sessionInvalid, .callbackMismatch, .intentMismatch, .codeRejected, .proofKeyMismatch, .tokenRejected,
            .malformedToken, .lifetimeTooLong, .freshLoginUnproven, .issuedUnwatched, .replayed:
            "auth/invalid-credential"
        case .accessDenied: "auth/user-cancelled"
        case .idTokenMissing, .idTokenInvalid: "auth/invalid-user-token"
        case .idTokenExpired, .idTokenRevoked: "auth/user-token-expired"
        case .accountGone: "auth/user-not-found"
        case .requiresRecentLogin: "auth/requires-recent-login"
        case .userDisabled, .providerAccountDisabled: "auth/user-disabled"
        case .appCheckRequired, .appCheckInvalid: "auth/firebase-app-check-token-is-invalid"
        case .userMismatch: "auth/user-mismatch"
        case .secondFactorRequired: "auth/multi-factor-auth-required"
        case .secondFactorInvalid: "auth/invalid-verification-code"
        case .noSuchFactor: "auth/multi-factor-info-not-found"
        case .tooManyFactors: "auth/maximum-second-factor-count-exceeded"
        case .anonymousDisabled: "auth/admin-restricted-operation"
        case .credentialAlreadyInUse: "auth/credential-already-in-use"
        case .providerAlreadyLinked: "auth/provider-already-linked"
        case .accountExists: "auth/account-exists-with-different-credential"
        case .noSuchProvider: "auth/no-such-provider"
        case .providerDisabled, .providerTokensDisabled, .mergeNotPossible, .notForAnonymous:
            "auth/operation-not-allowed"
        case .rateLimited, .secondFactorLocked: "auth/too-many-requests"
        case .providerUnreachable, .providerTimeout: "auth/network-request-failed"
        case .invalidScope, .loginRequired, .accountSelectionRequired, .consentRequired, .interactionRequired,
            .unsupportedGrantType, .unsupportedResponseType, .unauthorizedClient, .invalidTarget, .authorizationPending,
            .slowDown, .expiredToken, .unknownClient, .originNotAllowed, .lastIdentity, .notFound, .methodNotAllowed,
            .bodyTooLarge, .uriTooLong, .unsupportedMediaType, .headersTooLarge, .providerError,
            .providerResponseInvalid, .providerRefusesUs, .storeUnavailable, .directoryUnavailable, .clockBehind,
            .signerUnavailable, .emailDomainNotAllowed, .blockedByHook, .hookUnavailable, .overloaded, .draining,
            .internal:
            "auth/internal-error"
        }
    }
}

/// The status and the `error` of each reason, for the API description.
///
/// ``ErrorTable`` responds with them; `/token` and the pages change some, see ``ErrorResponse/atTokenEndpoint(of:)``
/// and ``ErrorResponse/pageStatus``.
extension Reason {
    var status: Int {
        switch self {
        case .malformedBody, .unknownField, .missingField, .duplicateParameter, .unknownProvider, .reservedParameter,
            .parameterNotAllowed, .redirectURINotAllowed, .pkceRequired, .unsupportedCredential,
            .unknownCredentialType, .freshLoginUnavailable, .audienceMismatch, .audienceUnverifiable, .issuerMismatch,
            .signatureInvalid, .algorithmNotAllowed, .unknownKey, .expired, .notYetValid, .tooOld, .nonceMismatch,
            .accessTokenHashMismatch, .stateMismatch, .sessionInvalid, .callbackMismatch, .intentMismatch,
            .codeRejected, .proofKeyMismatch, .tokenRejected, .malformedToken, .lifetimeTooLong, .freshLoginUnproven,
            .issuedUnwatched, .replayed, .secondFactorInvalid, .invalidScope, .accessDenied, .loginRequired,
            .accountSelectionRequired,
            .consentRequired, .interactionRequired, .unsupportedGrantType, .unsupportedResponseType,
            .unauthorizedClient, .invalidTarget, .authorizationPending, .slowDown, .expiredToken:
            400
        case .unknownClient, .idTokenMissing, .idTokenInvalid, .idTokenExpired, .idTokenRevoked, .accountGone,
            .requiresRecentLogin:
            401
        case .appCheckRequired, .appCheckInvalid, .userDisabled, .providerAccountDisabled, .userMismatch,
            .secondFactorRequired, .secondFactorLocked, .notForAnonymous, .anonymousDisabled, .originNotAllowed,
            .providerDisabled, .providerTokensDisabled, .emailDomainNotAllowed, .blockedByHook:
            403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .credentialAlreadyInUse, .providerAlreadyLinked, .accountExists, .noSuchProvider, .lastIdentity,
            .mergeNotPossible, .noSuchFactor, .tooManyFactors:
            409
        case .bodyTooLarge: 413
        case .uriTooLong: 414
        case .unsupportedMediaType: 415
        case .rateLimited: 429
        case .headersTooLarge: 431
        case .internal: 500
        case .providerError, .providerUnreachable, .providerResponseInvalid, .providerRefusesUs: 502
        case .storeUnavailable, .directoryUnavailable, .clockBehind, .signerUnavailable, .hookUnavailable, .overloaded,
            .draining:
            503
        case .providerTimeout: 504
        }
    }

    var error: String {
        switch self {
        case .invalidScope, .accessDenied, .loginRequired, .accountSelectionRequired, .consentRequired,
            .interactionRequired, .unsupportedGrantType, .unsupportedResponseType, .unauthorizedClient, .invalidTarget,
            .authorizationPending, .slowDown, .expiredToken:
            // These reasons are named after registered codes.
            rawValue
        case .unknownClient: "invalid_client"
        case .audienceMismatch, .audienceUnverifiable, .issuerMismatch, .signatureInvalid, .algorithmNotAllowed,
            .unknownKey, .expired, .notYetValid, .tooOld, .nonceMismatch, .accessTokenHashMismatch, .stateMismatch,
            .sessionInvalid, .callbackMismatch, .intentMismatch, .codeRejected, .proofKeyMismatch, .tokenRejected,
            .malformedToken, .lifetimeTooLong, .freshLoginUnproven, .issuedUnwatched, .replayed,
            .secondFactorInvalid:
            "invalid_grant"
        default:
            switch status {
            case 401: "invalid_token"
            case 403: "access_denied"
            case 500: "server_error"
            case 429, 502...504: "temporarily_unavailable"
            default: "invalid_request"
            }
        }
    }
}

extension Reason {
    init(_ interaction: UnmetInteraction) {
        self =
            switch interaction {
            case .login: .loginRequired
            case .accountSelection: .accountSelectionRequired
            case .consent: .consentRequired
            case .interaction: .interactionRequired
            }
    }
}
