internal import Jansson
package import Standards
package import Transport

/// The reason why a call to Identity Toolkit failed.
///
/// The error contains nothing of the request, and no text of the response.
package enum IdentityToolkitError: Error, Equatable, Sendable {
    /// The call was not sent, because there is no access token.
    case accessToken(AccessTokenError)
    /// There was no response, and nothing was written.
    case unreachable(TransportError)
    /// The response was 5xx, and nothing was written.
    case unavailable(status: Int)
    /// A change received no response, or 5xx, and may have been made nevertheless.
    case outcomeUnknown
    /// A quota is used up, or calls are too frequent.
    case busy
    /// The response has the wrong form. If the call was a change, it was made nevertheless.
    case malformedAnswer

    /// A second access token was refused as well.
    case unauthenticated
    /// The service account lacks a role, or the API is disabled.
    case permissionDenied
    /// The project or tenant does not exist, or Authentication was never enabled there.
    case notConfigured
    /// The response has another error code.
    case rejected(status: Int)

    case userNotFound
    case userDisabled
    case emailExists
    case duplicateLocalID
    case federatedIDTaken
    case invalidCustomToken
    /// The custom token and the API key belong to different projects.
    case credentialMismatch
    case tenantMismatch

    /// Whether the same call may be repeated: Identity Toolkit refused it for now (429, 503) or never received it.
    package var isRefusalForNow: Bool {
        switch self {
        case .busy, .unavailable(status: 503): true
        case .unreachable(let error): !error.requestMayHaveArrived
        default: false
        }
    }

    /// Whether it is certain that nothing was written.
    package var nothingWasWritten: Bool {
        switch self {
        case .outcomeUnknown, .malformedAnswer: false
        default: true
        }
    }
}

extension IdentityToolkitError {
    /// Reads a response with another status than 200.
    ///
    ///     {"error": {"code": 400, "message": "EMAIL_EXISTS : more text", "status": "INVALID_ARGUMENT"}}
    ///
    /// The code is the part of `message` before the first colon.
    init(_ response: OutboundResponse) {
        let error = (try? JSON.parse(response.body))?["error"]
        let code = (error?["message"]?.string ?? "").prefix { $0 != ":" }.filter { !$0.isWhitespace }
        self =
            Self(code: code) ?? Self(code: error?["status"]?.string ?? "")
            ?? Self(status: response.status)
    }

    private init?(code: String) {
        switch code {
        case "USER_NOT_FOUND": self = .userNotFound
        case "USER_DISABLED": self = .userDisabled
        case "EMAIL_EXISTS", "DUPLICATE_EMAIL": self = .emailExists
        case "DUPLICATE_LOCAL_ID": self = .duplicateLocalID
        case "FEDERATED_USER_ID_ALREADY_LINKED": self = .federatedIDTaken
        case "INVALID_CUSTOM_TOKEN", "MISSING_CUSTOM_TOKEN": self = .invalidCustomToken
        case "CREDENTIAL_MISMATCH": self = .credentialMismatch
        case "TENANT_ID_MISMATCH": self = .tenantMismatch
        case "QUOTA_EXCEEDED", "TOO_MANY_ATTEMPTS_TRY_LATER", "RESOURCE_EXHAUSTED": self = .busy
        case "PERMISSION_DENIED", "INSUFFICIENT_PERMISSION": self = .permissionDenied
        case "UNAUTHENTICATED": self = .unauthenticated
        case "PROJECT_NOT_FOUND", "TENANT_NOT_FOUND", "CONFIGURATION_NOT_FOUND", "UNSUPPORTED_TENANT_OPERATION":
            self = .notConfigured
        default: return nil
        }
    }

    private init(status: Int) {
        switch status {
        case 401: self = .unauthenticated
        case 403: self = .permissionDenied
        case 429: self = .busy
        case 500...: self = .unavailable(status: status)
        default: self = .rejected(status: status)
        }
    }
}

extension IdentityToolkitError: RefusalCause {
    /// The refusal of a custom token that is traded in for a Firebase session.
    package var refusal: Refusal {
        switch self {
        case .userDisabled:
            Refusal(
                .userDisabled, "The account is disabled. Only the operator can enable it.", isUnspent: isRefusalForNow,
                cause: self)
        case .unreachable, .unavailable, .busy, .outcomeUnknown, .accessToken:
            Refusal(
                .directoryUnavailable,
                "Firebase does not exchange the custom token now. Retry after the time in Retry-After.",
                isUnspent: isRefusalForNow, cause: self)
        case .malformedAnswer, .unauthenticated, .permissionDenied, .notConfigured, .rejected, .userNotFound,
            .emailExists, .duplicateLocalID, .federatedIDTaken, .invalidCustomToken, .credentialMismatch,
            .tenantMismatch:
            .internalError(self)
        }
    }
}
