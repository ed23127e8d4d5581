/// What is wrong with a request before anybody looks at the credential in it.
extension Refusal {
    static let notFound = Refusal(404, "invalid_request", "not_found", "Nothing is at this path.")
    static let headersTooLarge = Refusal(431, "invalid_request", "headers_too_large", "The header is too large.")
    static let targetTooLong = Refusal(414, "invalid_request", "uri_too_long", "The request target is too long.")
    static let bodyTooLarge = ending(
        Refusal(413, "invalid_request", "body_too_large", "The body is longer than 64 KiB."))
    static let mediaType = Refusal(415, "invalid_request", "unsupported_media_type", "The media type is another one.")
    static let malformedBody = Refusal(400, "invalid_request", "malformed_body", "The body cannot be read.")
    static let host = ending(Refusal(400, "invalid_request", "malformed_body", "The request needs one Host field."))
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

    /// Clients are public, and a secret that nobody checks is one too many.
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
