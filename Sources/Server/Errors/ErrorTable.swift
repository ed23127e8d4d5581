internal import Accounts
internal import Firebase
internal import Flows
internal import Minting
internal import Stores

/// The only mapping from errors to HTTP responses.
///
/// Each function switches over every case of an error without `default`, so that a new case does not compile until it
/// has a response.
enum ErrorTable {
    static func response(to error: RequestError) -> ErrorResponse {
        switch error {
        case .notFound:
            .invalidRequest(404, .notFound, "No endpoint has this path. See /openapi.json for the list of paths.")
        case .methodNotAllowed(let allowed):
            ErrorResponse(
                405, "invalid_request", .methodNotAllowed,
                "The endpoint does not support this method. Use a method from the Allow header field.",
                allowed: allowed)
        case .uriTooLong:
            .invalidRequest(414, .uriTooLong, "The request target is longer than 8 KiB. Send a shorter one.")
        case .headersTooLarge:
            .invalidRequest(
                431, .headersTooLarge,
                "The request has more than 100 header fields or more than 16 KiB of them. Send fewer.")
        case .unsupportedMediaType:
            .invalidRequest(
                415, .unsupportedMediaType,
                "The body has the wrong media type. Send Content-Type: application/json in UTF-8, uncompressed.")
        case .bodyTooLarge: .invalidRequest(413, .bodyTooLarge, "The body is longer than 64 KiB. Send a shorter one.")
        case .malformedBody:
            .invalidRequest(
                .malformedBody,
                "The body is not a JSON object, or the URL has a query. Send all members in one JSON object.")
        case .unknownField(let known):
            .invalidRequest(
                .unknownField,
                "The request has a member that this endpoint does not support. Supported members: \(list(known)).")
        case .missingField(let name):
            .invalidRequest(.missingField, "The member \(name) is missing. Add it to the request.")
        case .malformedField(let name):
            .invalidRequest(
                .malformedBody,
                "The member \(name) has the wrong type, is empty, is too long or contains control characters. See its "
                    + "schema at /openapi.json.")
        case .duplicateField:
            .invalidRequest(.duplicateParameter, "A member or parameter occurs twice. Send each one once.")
        case .formExpected:
            .invalidRequest(
                415, .unsupportedMediaType,
                "The body has the wrong media type. Send Content-Type: application/x-www-form-urlencoded in UTF-8, "
                    + "uncompressed.")
        case .malformedForm:
            .invalidRequest(
                .malformedBody,
                "The parameters have invalid percent-encoding or control characters, or the URL of a form request "
                    + "has a "
                    + "query. Encode all parameters as application/x-www-form-urlencoded.")
        case .malformedMessage(let fault): response(to: fault)
        case .unsupportedGrantType:
            ErrorResponse(
                400, "unsupported_grant_type", .unsupportedGrantType,
                "This grant_type is not supported. Use one of grant_types_supported in the server metadata.")
        case .invalidTarget:
            ErrorResponse(
                400, "invalid_target", .invalidTarget,
                "The server issues tokens for its own Firebase project only. Omit audience and resource.")
        case .clientAuthentication(let byHeader):
            .clientAuthentication(byHeader: byHeader)
        case .clientMismatch:
            .clientRefusal(
                byHeader: true,
                "The Authorization field names another client than client_id. Send the client_id once, in the form.")
        case .originNotAllowed:
            ErrorResponse(
                403, "access_denied", .originNotAllowed,
                "This web origin is not configured for the client. Add it to the origins of the client.")
        case .rateLimited(let seconds):
            ErrorResponse(
                429, "temporarily_unavailable", .rateLimited,
                "This address sends too many requests. Retry after the time in Retry-After.", retry: .same,
                retryAfter: seconds)
        case .overloaded:
            .unavailable(.overloaded, "The server is at capacity. Retry after the time in Retry-After.", .same)
        case .draining:
            .unavailable(.draining, "The server is shutting down. Retry after the time in Retry-After.", .same)
        case .signIn(let error): response(to: error)
        }
    }

    private static func response(to fault: MessageFault) -> ErrorResponse {
        var response: ErrorResponse =
            switch fault {
            case .host:
                .invalidRequest(
                    .malformedBody,
                    "The Host header field is missing, repeated or invalid. Send one Host field with a host and an "
                        + "optional port (RFC 9112 section 3.2).")
            case .framing:
                .invalidRequest(
                    .malformedBody,
                    "HTTP/1.0 does not support Transfer-Encoding. Send Content-Length, or use HTTP/1.1 (RFC 9112 "
                        + "section 6.1).")
            }
        response.endsConnection = true
        return response
    }

    /// Turns the error of a step into its response.
    ///
    /// The table states `same` for errors that pass. That holds only if the credential of the caller is unspent.
    ///
    /// - Parameters:
    ///   - failure: The error.
    ///   - table: The responses to errors of this kind.
    /// - Returns: The response, with `restart` instead of `same` if the credential is spent.
    static func response<Reason>(
        to failure: StepFailure<Reason>, by table: (Reason) -> ErrorResponse
    ) -> ErrorResponse {
        var response = table(failure.reason)
        if response.retry == .same, !failure.isUnspent { response.retry = .restart }
        return response
    }

    static func response(to error: SingleUseError) -> ErrorResponse {
        switch error {
        case .replayed(.pushedRequest):
            .invalidGrant(.replayed, "The request_uri was already used. Push the request again at /par.")
        case .replayed: .replayed
        case .unwatched: .issuedUnwatched
        case .store(let error): response(to: error)
        }
    }

    /// Errors of the store, for a request that has spent no credential before the failed call.
    static func response(to error: StoreError) -> ErrorResponse {
        response(to: StepFailure(error, isUnspent: error.nothingWasWritten), by: unspentResponse)
    }

    /// Errors of the store, for a credential that is unspent.
    static func unspentResponse(to error: StoreError) -> ErrorResponse {
        guard error != .clockBehind else {
            return .unavailable(
                .clockBehind,
                "The clock of the server is not the one of its database: it was set back, or jumped ahead. Retry after the time "
                    + "in Retry-After. GET /readyz tells the operator how long it takes, and when to use --new-store.",
                .same)
        }
        return error.isOfDirectory
            ? .unavailable(
                .directoryUnavailable, "Firebase does not respond. Retry after the time in Retry-After.", .same)
            : .unavailable(
                .storeUnavailable, "The database does not respond. Retry after the time in Retry-After.", .same)
    }

    static func response(to error: HookError) -> ErrorResponse {
        switch error {
        case .denied(let message):
            var response = ErrorResponse(
                403, "access_denied", .blockedByHook,
                "The hook of the operator refused the call. Show the text of the member message, if there is one, to "
                    + "the user.")
            response.message = message
            return response
        case .unavailable:
            return .unavailable(
                .hookUnavailable,
                "The hook of the operator gives no usable answer. Retry after the time in Retry-After.", .same)
        case .signer(let error): return response(to: error)
        case .random: return .internalError
        }
    }

    static func response(to error: MintingError) -> ErrorResponse {
        switch error {
        case .overloaded, .cancelled, .key, .unknownServiceAccount, .accessToken, .unreachable, .refused,
            .malformedResponse, .process:
            .unavailable(
                .signerUnavailable, "The server cannot sign tokens now. Retry after the time in Retry-After.",
                .same)
        case .claimsTooLarge:
            .provider(
                502, .providerResponseInvalid,
                "The claims of this user are longer than 1000 bytes. The operator must shorten them in the "
                    + "configuration or in the hooks.",
                .restart)
        case .reservedClaim, .uidLength: .internalError
        }
    }

    private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}
