/// The status and the `error` that each reason has in the contract, for the description of the interface.
///
/// ``ErrorTable`` answers with them; `/token` and the pages change some, see ``ErrorResponse/atTokenEndpoint(of:)`` and
/// ``ErrorResponse/pageStatus``.
extension Reason {
    var status: Int {
        switch self {
        case .malformedBody, .unknownField, .missingField, .duplicateParameter, .unknownProvider, .reservedParameter,
            .parameterNotAllowed, .redirectURINotAllowed, .pkceRequired, .unsupportedCredential,
            .unknownCredentialType, .freshLoginUnavailable, .audienceMismatch, .audienceUnverifiable, .issuerMismatch,
            .signatureInvalid, .algorithmNotAllowed, .unknownKey, .expired, .notYetValid, .tooOld, .nonceMismatch,
            .accessTokenHashMismatch, .stateMismatch, .sessionInvalid, .callbackMismatch, .intentMismatch,
            .codeRejected, .proofKeyMismatch, .tokenRejected, .malformedToken, .lifetimeTooLong, .freshLoginUnproven,
            .issuedUnwatched, .replayed, .invalidScope, .accessDenied, .loginRequired, .accountSelectionRequired,
            .consentRequired, .interactionRequired, .unsupportedGrantType, .unsupportedResponseType,
            .unauthorizedClient, .invalidTarget, .authorizationPending, .slowDown, .expiredToken:
            400
        case .unknownClient, .idTokenMissing, .idTokenInvalid, .idTokenExpired, .idTokenRevoked, .accountGone,
            .requiresRecentLogin:
            401
        case .appCheckRequired, .appCheckInvalid, .userDisabled, .providerAccountDisabled, .userMismatch,
            .secondFactorRequired, .anonymousDisabled, .originNotAllowed, .providerDisabled:
            403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .credentialAlreadyInUse, .providerAlreadyLinked, .accountExists, .noSuchProvider, .lastIdentity,
            .mergeNotPossible:
            409
        case .bodyTooLarge: 413
        case .uriTooLong: 414
        case .unsupportedMediaType: 415
        case .rateLimited: 429
        case .headersTooLarge: 431
        case .internal: 500
        case .providerError, .providerUnreachable, .providerResponseInvalid, .providerRefusesUs: 502
        case .storeUnavailable, .directoryUnavailable, .clockBehind, .signerUnavailable, .overloaded, .draining: 503
        case .providerTimeout: 504
        }
    }

    var error: String {
        switch self {
        case .invalidScope, .accessDenied, .loginRequired, .accountSelectionRequired, .consentRequired,
            .interactionRequired, .unsupportedGrantType, .unsupportedResponseType, .unauthorizedClient, .invalidTarget,
            .authorizationPending, .slowDown, .expiredToken:
            // Registered codes, which the reasons are called after.
            rawValue
        case .unknownClient: "invalid_client"
        case .audienceMismatch, .audienceUnverifiable, .issuerMismatch, .signatureInvalid, .algorithmNotAllowed,
            .unknownKey, .expired, .notYetValid, .tooOld, .nonceMismatch, .accessTokenHashMismatch, .stateMismatch,
            .sessionInvalid, .callbackMismatch, .intentMismatch, .codeRejected, .proofKeyMismatch, .tokenRejected,
            .malformedToken, .lifetimeTooLong, .freshLoginUnproven, .issuedUnwatched, .replayed:
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
