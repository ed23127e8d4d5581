/// The stable names of the causes of error responses, independent of the text of the description.
///
/// Each reason has one row, from which the responses, the audit trail and the description of the API follow.
package enum Reason: String, Sendable, CaseIterable {
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

    private var row: Row {
        switch self {
        // 400 invalid_request
        case .malformedBody: Row(400, "invalid_request", "argument-error", audited: false)
        case .unknownField: Row(400, "invalid_request", "argument-error", audited: false)
        case .missingField: Row(400, "invalid_request", "argument-error", audited: false)
        case .duplicateParameter: Row(400, "invalid_request", "argument-error", audited: false)
        case .unknownProvider: Row(400, "invalid_request", "invalid-provider-id")
        case .reservedParameter: Row(400, "invalid_request", "argument-error")
        case .parameterNotAllowed: Row(400, "invalid_request", "argument-error")
        case .redirectURINotAllowed: Row(400, "invalid_request", "argument-error")
        case .pkceRequired: Row(400, "invalid_request", "argument-error")
        case .unsupportedCredential: Row(400, "invalid_request", "argument-error")
        case .unknownCredentialType: Row(400, "invalid_request", "argument-error")
        case .freshLoginUnavailable: Row(400, "invalid_request", "argument-error")
        // 400 invalid_grant
        case .audienceMismatch: Row(400, "invalid_grant", "invalid-credential")
        case .audienceUnverifiable: Row(400, "invalid_grant", "invalid-credential")
        case .issuerMismatch: Row(400, "invalid_grant", "invalid-credential")
        case .signatureInvalid: Row(400, "invalid_grant", "invalid-credential")
        case .algorithmNotAllowed: Row(400, "invalid_grant", "invalid-credential")
        case .unknownKey: Row(400, "invalid_grant", "invalid-credential")
        case .expired: Row(400, "invalid_grant", "invalid-credential")
        case .notYetValid: Row(400, "invalid_grant", "invalid-credential")
        case .tooOld: Row(400, "invalid_grant", "invalid-credential")
        case .nonceMismatch: Row(400, "invalid_grant", "invalid-credential")
        case .accessTokenHashMismatch: Row(400, "invalid_grant", "invalid-credential")
        case .stateMismatch: Row(400, "invalid_grant", "invalid-credential")
        case .sessionInvalid: Row(400, "invalid_grant", "invalid-credential")
        case .callbackMismatch: Row(400, "invalid_grant", "invalid-credential")
        case .intentMismatch: Row(400, "invalid_grant", "invalid-credential")
        case .codeRejected: Row(400, "invalid_grant", "invalid-credential")
        case .proofKeyMismatch: Row(400, "invalid_grant", "invalid-credential")
        case .tokenRejected: Row(400, "invalid_grant", "invalid-credential")
        case .malformedToken: Row(400, "invalid_grant", "invalid-credential")
        case .lifetimeTooLong: Row(400, "invalid_grant", "invalid-credential")
        case .freshLoginUnproven: Row(400, "invalid_grant", "invalid-credential")
        case .issuedUnwatched: Row(400, "invalid_grant", "invalid-credential", retry: .restart)
        case .replayed: Row(400, "invalid_grant", "invalid-credential")
        case .secondFactorInvalid: Row(400, "invalid_grant", "invalid-verification-code")
        // 400 with the codes of their RFCs
        case .invalidScope: Row(400, "invalid_scope")
        case .accessDenied: Row(400, "access_denied", "user-cancelled")
        case .loginRequired: Row(400, "login_required")
        case .accountSelectionRequired: Row(400, "account_selection_required")
        case .consentRequired: Row(400, "consent_required")
        case .interactionRequired: Row(400, "interaction_required")
        case .unsupportedGrantType: Row(400, "unsupported_grant_type")
        case .unsupportedResponseType: Row(400, "unsupported_response_type")
        case .unauthorizedClient: Row(400, "unauthorized_client", "app-not-authorized")
        case .invalidTarget: Row(400, "invalid_target")
        case .authorizationPending: Row(400, "authorization_pending", audited: false)
        case .slowDown: Row(400, "slow_down", audited: false)
        case .expiredToken: Row(400, "expired_token")
        // 401
        case .unknownClient: Row(401, "invalid_client", "app-not-authorized")
        case .idTokenMissing: Row(401, "invalid_token", "invalid-user-token")
        case .idTokenInvalid: Row(401, "invalid_token", "invalid-user-token")
        case .idTokenExpired: Row(401, "invalid_token", "user-token-expired")
        case .idTokenRevoked: Row(401, "invalid_token", "user-token-expired")
        case .accountGone: Row(401, "invalid_token", "user-not-found")
        case .requiresRecentLogin: Row(401, "invalid_token", "requires-recent-login")
        // 403
        case .appCheckRequired: Row(403, "access_denied", "firebase-app-check-token-is-invalid")
        case .appCheckInvalid: Row(403, "access_denied", "firebase-app-check-token-is-invalid")
        case .userDisabled: Row(403, "access_denied", "user-disabled")
        case .providerAccountDisabled: Row(403, "access_denied", "user-disabled")
        case .userMismatch: Row(403, "access_denied", "user-mismatch")
        case .secondFactorRequired: Row(403, "access_denied", "multi-factor-auth-required")
        case .secondFactorLocked: Row(403, "access_denied", "too-many-requests")
        case .notForAnonymous: Row(403, "access_denied", "operation-not-allowed")
        case .anonymousDisabled: Row(403, "access_denied", "admin-restricted-operation")
        case .originNotAllowed: Row(403, "access_denied", "unauthorized-domain")
        case .providerDisabled: Row(403, "access_denied", "operation-not-allowed")
        case .providerTokensDisabled: Row(403, "access_denied", "operation-not-allowed")
        case .emailDomainNotAllowed: Row(403, "access_denied", "admin-restricted-operation")
        case .blockedByHook: Row(403, "access_denied")
        // 409
        case .credentialAlreadyInUse: Row(409, "invalid_request", "credential-already-in-use")
        case .providerAlreadyLinked: Row(409, "invalid_request", "provider-already-linked")
        case .accountExists: Row(409, "invalid_request", "account-exists-with-different-credential")
        case .noSuchProvider: Row(409, "invalid_request", "no-such-provider")
        case .lastIdentity: Row(409, "invalid_request", "operation-not-allowed")
        case .mergeNotPossible: Row(409, "invalid_request", "operation-not-allowed")
        case .noSuchFactor: Row(409, "invalid_request", "multi-factor-info-not-found")
        case .tooManyFactors: Row(409, "invalid_request", "maximum-second-factor-count-exceeded")
        // HTTP
        case .notFound: Row(404, "invalid_request", audited: false)
        case .methodNotAllowed: Row(405, "invalid_request", audited: false)
        case .bodyTooLarge: Row(413, "invalid_request", audited: false)
        case .uriTooLong: Row(414, "invalid_request", audited: false)
        case .unsupportedMediaType: Row(415, "invalid_request", audited: false)
        case .headersTooLarge: Row(431, "invalid_request", audited: false)
        case .rateLimited: Row(429, "temporarily_unavailable", "too-many-requests", audited: false, retry: .ifUnspent)
        // 5xx
        case .providerError: Row(502, "temporarily_unavailable", retry: .ifUnspent)
        case .providerUnreachable: Row(502, "temporarily_unavailable", "network-request-failed", retry: .ifUnspent)
        case .providerTimeout: Row(504, "temporarily_unavailable", "network-request-failed", retry: .ifUnspent)
        case .providerResponseInvalid: Row(502, "temporarily_unavailable", retry: .ifUnspent)
        case .providerRefusesUs: Row(502, "temporarily_unavailable")
        case .storeUnavailable: Row(503, "temporarily_unavailable", retry: .ifUnspent)
        case .directoryUnavailable: Row(503, "temporarily_unavailable", retry: .ifUnspent)
        case .clockBehind: Row(503, "temporarily_unavailable", audited: false, retry: .ifUnspent)
        case .signerUnavailable: Row(503, "temporarily_unavailable", retry: .ifUnspent)
        case .hookUnavailable: Row(503, "temporarily_unavailable", retry: .ifUnspent)
        case .overloaded: Row(503, "temporarily_unavailable", audited: false, retry: .ifUnspent)
        case .draining: Row(503, "temporarily_unavailable", audited: false, retry: .ifUnspent)
        case .internal: Row(500, "server_error", retry: .restart)
        }
    }
}

extension Reason {
    /// What the server does for a reason.
    private struct Row {
        let status: Int
        let error: String
        /// Without the prefix `auth/`.
        let firebaseCode: String
        let isAudited: Bool
        let retry: Retry

        init(
            _ status: Int, _ error: String, _ firebaseCode: String = "internal-error", audited isAudited: Bool = true,
            retry: Retry = .never
        ) {
            self.status = status
            self.error = error
            self.firebaseCode = firebaseCode
            self.isAudited = isAudited
            self.retry = retry
        }
    }

    /// Whether the caller can expect another answer to the same request.
    package enum Retry: Sendable {
        /// The response has no member `retry`.
        case never
        /// The same request may be sent again if the credential in it is unspent. Otherwise the sign-in begins again.
        case ifUnspent
        /// The sign-in begins again.
        case restart
    }

    /// The status of the HTTP response.
    ///
    /// `/token` and the pages change some.
    package var status: Int { row.status }

    /// A registered code for the member `error` (RFC 6749 §5.2 and its extensions).
    package var error: String { row.error }

    /// The error code of the Firebase client SDKs, so that an application can handle both in one place.
    package var firebaseCode: String { "auth/" + row.firebaseCode }

    /// `true` if the audit trail records a refusal for this reason.
    ///
    /// It does not record early polls, unreadable requests and refusals that a client without a credential can cause in
    /// any number.
    package var isAudited: Bool { row.isAudited }

    package var retry: Retry { row.retry }
}
