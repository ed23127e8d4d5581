/// What is wrong with a credential, and what is wrong with us.
extension Refusal {
    static let audienceMismatch = grant("audience_mismatch", "The token was issued for another client.")
    static let audienceUnverifiable = grant(
        "audience_unverifiable", "An access token does not say for whom it was issued. Send a code or an ID token.")
    static let issuerMismatch = grant("issuer_mismatch", "The token is another issuer's.")
    static let signatureInvalid = grant("signature_invalid", "The signature does not hold.")
    static let algorithm = grant("algorithm_not_allowed", "The algorithm is not the provider's.")
    static let unknownKey = grant("unknown_key", "The provider has no such key.")
    static let expired = grant("expired", "It has expired.")
    static let notYetValid = grant("not_yet_valid", "It is not valid yet.")
    static let tooOld = grant("too_old", "It was issued too long ago.")
    static let nonceMismatch = grant("nonce_mismatch", "The nonce is another one.")
    static let accessTokenHash = grant("at_hash_mismatch", "The ID token does not vouch for the access token.")
    static let stateMismatch = grant("state_mismatch", "No sign-in of this browser is waiting for this.")
    static let sessionInvalid = grant("session_invalid", "The session is not one of this server for this client.")
    static let lifetimeTooLong = grant("lifetime_too_long", "The token is good for more than a day.")
    static let codeRejected = grant("code_rejected", "The code is not good here.")
    static let proofKey = grant("pkce_mismatch", "The code_verifier is another one.")
    static let tokenRejected = grant("token_rejected", "The provider does not take the token from us.")
    static let malformedToken = grant("malformed_token", "The ID token is not one.")
    static let replayed = grant("replayed", "It was used before.")
    static let providerAccountDisabled = Refusal(
        403, "access_denied", "provider_account_disabled", "The provider has suspended the account.")
    static let accessDenied = Refusal(400, "access_denied", "access_denied", "The person did not consent.")

    /// What a provider answers instead of showing a page (OpenID Connect Core section 3.1.2.6).
    static let unmetInteractions = [
        "login_required", "account_selection_required", "consent_required", "interaction_required",
    ]

    static func interaction(_ error: String) -> Refusal {
        Refusal(400, error, error, "The provider has to show the person a page first.")
    }

    static let broken = failure(500, "server_error", "internal", "The server failed.", retry: "restart")
    static let storage = failure(
        503, "temporarily_unavailable", "store_unavailable", "Nothing can be written down.", retry: "same")

    private static func grant(_ reason: String, _ sentence: String) -> Refusal {
        Refusal(400, "invalid_grant", reason, sentence)
    }

    static func failure(
        _ status: Int, _ error: String, _ reason: String, _ sentence: String, retry: String
    ) -> Refusal {
        var refusal = Refusal(status, error, reason, sentence)
        refusal.retry = retry
        return refusal
    }
}
