internal import Jansson

/// An error response: RFC 6749 section 5.2 with `reason`, `code` and `request_id`.
struct Refusal: Error, Sendable {
    var status: Int
    var error: String
    let reason: String
    var sentence: String
    /// `same` or `restart` if a retry may help.
    var retry: String?
    /// The value of `Retry-After` in seconds.
    var retryAfter: Int?
    /// The value of `Allow` in a 405 response.
    var allowed: String?
    /// The value of `WWW-Authenticate`.
    var challenge: String?
    /// The refused input.
    ///
    /// The response contains it only because of a mistake.
    var input: String?
    /// Whether the connection is closed without reading the rest.
    var endsConnection = false
    /// The text of the error page; `nil` for the usual text.
    var page: String?

    init(_ status: Int, _ error: String, _ reason: String, _ sentence: String) {
        self.status = status
        self.error = error
        self.reason = reason
        self.sentence = sentence
    }

    func json(requestID: String) -> JSON {
        var members: [String: JSON] = [
            "error": .string(error), "error_description": .string(sentence), "reason": .string(reason),
            "code": .string(FirebaseCode.of(reason)), "request_id": .string(requestID),
        ]
        members["retry"] = retry.map(JSON.string)
        return .object(members)
    }

    func with(input: String) -> Refusal {
        var refusal = self
        refusal.input = input
        return refusal
    }

    /// The refusal at `/token`: RFC 6749 section 5.2 has only the statuses 400 and 401, and RFC 8693 section 2.2.2 has
    /// `invalid_request` for an invalid subject token.
    func atTokenEndpoint(isSubjectToken: Bool) -> Refusal {
        var refusal = self
        if status == 403 || status == 409 { refusal.status = 400 }
        if isSubjectToken, error == "invalid_grant" { refusal.error = "invalid_request" }
        return refusal
    }
}

/// Refusals of credentials, and failures of the backend.
extension Refusal {
    static let audienceMismatch = grant("audience_mismatch", "The token was issued to another client.")
    static let audienceUnverifiable = grant(
        "audience_unverifiable",
        "An access token does not say to which client it was issued. Send a code or an ID token.")
    static let issuerMismatch = grant("issuer_mismatch", "The token is of another issuer.")
    static let signatureInvalid = grant("signature_invalid", "The signature is invalid.")
    static let algorithm = grant("algorithm_not_allowed", "The algorithm is not one of the provider's.")
    static let unknownKey = grant("unknown_key", "The provider has no such key.")
    static let expired = grant("expired", "It has expired.")
    static let notYetValid = grant("not_yet_valid", "It is not valid yet.")
    static let tooOld = grant("too_old", "It was issued too long ago.")
    static let nonceMismatch = grant("nonce_mismatch", "The nonce does not match.")
    static let accessTokenHash = grant(
        "at_hash_mismatch", "The access token does not match the at_hash of the ID token.")
    static let stateMismatch = grant("state_mismatch", "No sign-in of this browser is waiting for this response.")
    static let sessionInvalid = grant("session_invalid", "The session was not created by this server for this client.")
    static let lifetimeTooLong = grant("lifetime_too_long", "The token is valid for more than one day.")
    static let codeRejected = grant("code_rejected", "The code is invalid.")
    static let proofKey = grant("pkce_mismatch", "The code_verifier does not match.")
    static let tokenRejected = grant("token_rejected", "The provider does not accept the token from this client.")
    static let malformedToken = grant("malformed_token", "The ID token is malformed.")
    static let replayed = grant("replayed", "It was used before.")
    static let providerAccountDisabled = Refusal(
        403, "access_denied", "provider_account_disabled", "The provider has suspended the account.")
    static let accessDenied = Refusal(400, "access_denied", "access_denied", "The user did not consent.")

    /// The errors that a provider returns instead of showing a page (OpenID Connect Core section 3.1.2.6).
    static let unmetInteractions = [
        "login_required", "account_selection_required", "consent_required", "interaction_required",
    ]

    static func interaction(_ error: String) -> Refusal {
        Refusal(400, error, error, "The provider must show the user a page first.")
    }

    static let broken = failure(500, "server_error", "internal", "The server failed.", retry: "restart")
    static let storage = failure(
        503, "temporarily_unavailable", "store_unavailable", "The store is unavailable. Retry.", retry: "same")

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

/// Refusals of requests whose credential was not examined.
extension Refusal {
    static let notFound = Refusal(404, "invalid_request", "not_found", "There is no endpoint at this path.")
    static let headersTooLarge = Refusal(431, "invalid_request", "headers_too_large", "The header is too large.")
    static let targetTooLong = Refusal(414, "invalid_request", "uri_too_long", "The request target is too long.")
    static let bodyTooLarge = ending(
        Refusal(413, "invalid_request", "body_too_large", "The body is longer than 64 KiB."))
    static let mediaType = Refusal(415, "invalid_request", "unsupported_media_type", "The media type is not supported.")
    static let malformedBody = Refusal(400, "invalid_request", "malformed_body", "The body is malformed.")
    static let host = ending(Refusal(400, "invalid_request", "malformed_body", "The request must have one Host field."))
    static let duplicate = Refusal(400, "invalid_request", "duplicate_parameter", "A name is given twice.")
    static let unknownField = Refusal(400, "invalid_request", "unknown_field", "A member is not known here.")
    static let unknownClient = Refusal(401, "invalid_client", "unknown_client", "The client_id is not known.")
    static let unknownProvider = Refusal(400, "invalid_request", "unknown_provider", "The provider is not known.")
    static let parameterNotAllowed = Refusal(
        400, "invalid_request", "parameter_not_allowed", "A parameter is not allowed here.")
    static let unsupportedCredential = Refusal(
        400, "invalid_request", "unsupported_credential", "The provider takes no credential of this type.")
    static let unknownCredentialType = Refusal(
        400, "invalid_request", "unknown_credential_type", "There is no credential of this type.")
    static let redirectURI = Refusal(
        400, "invalid_request", "redirect_uri_not_allowed", "The redirect_uri is not one of the client's.")
    static let proofKeyRequired = Refusal(400, "invalid_request", "pkce_required", "PKCE with S256 is required.")
    static let originNotAllowed = Refusal(
        403, "access_denied", "origin_not_allowed", "The web origin is not one of the client's.")
    static let grantType = Refusal(
        400, "unsupported_grant_type", "unsupported_grant_type", "The grant_type is not known here.")
    static let target = Refusal(
        400, "invalid_target", "invalid_target", "A custom token is for one project alone: leave the target out.")
    static let responseType = Refusal(
        400, "unsupported_response_type", "unsupported_response_type", "The only response_type is code.")
    static let scope = Refusal(400, "invalid_scope", "invalid_scope", "A scope is not allowed.")

    private static func ending(_ refusal: Refusal) -> Refusal {
        var refusal = refusal
        refusal.endsConnection = true
        return refusal
    }

    /// Refuses client secrets: clients are public, and accepting a secret would imply that it was verified.
    static func clientSecret(inHeader: Bool) -> Refusal {
        var refusal = unknownClient
        if inHeader { refusal.challenge = "Basic realm=\"naive\"" }
        return refusal
    }

    static func missing(_ name: String) -> Refusal {
        Refusal(400, "invalid_request", "missing_field", "\(name) is missing.")
    }

    static func method(_ allowed: String) -> Refusal {
        var refusal = Refusal(405, "invalid_request", "method_not_allowed", "Use the method that Allow names.")
        refusal.allowed = allowed
        return refusal
    }
}

/// Firebase's error code for each reason.
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
