/// Firebase's own words for our reasons.
enum FirebaseCode {
    static func of(_ reason: String) -> String {
        switch reason {
        case "malformed_body", "unknown_field", "missing_field", "duplicate_parameter", "parameter_not_allowed",
            "redirect_uri_not_allowed", "pkce_required", "unsupported_credential", "unknown_credential_type":
            "auth/argument-error"
        case "audience_mismatch", "audience_unverifiable", "issuer_mismatch", "signature_invalid",
            "algorithm_not_allowed", "unknown_key", "expired", "not_yet_valid", "too_old", "nonce_mismatch",
            "at_hash_mismatch", "state_mismatch", "code_rejected", "pkce_mismatch", "token_rejected",
            "malformed_token", "session_invalid", "lifetime_too_long", "replayed":
            "auth/invalid-credential"
        case "unknown_provider": "auth/invalid-provider-id"
        case "provider_account_disabled": "auth/user-disabled"
        case "access_denied": "auth/user-cancelled"
        case "provider_unreachable", "provider_timeout": "auth/network-request-failed"
        default: "auth/internal-error"
        }
    }
}
