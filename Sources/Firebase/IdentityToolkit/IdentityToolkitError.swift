internal import Jansson
package import Transport

/// Why Identity Toolkit did not do what it was asked.
///
/// What was asked, and what was answered in words, is never part of it.
package enum IdentityToolkitError: Error, Equatable, Sendable {
    /// There is no access token to ask with.
    case accessToken(AccessTokenError)
    /// Nobody answered, and nothing was written.
    case unreachable(TransportError)
    /// 5xx to a question that writes nothing.
    case unavailable(status: Int)
    /// No answer, or 5xx, to something that may have been done all the same.
    case outcomeUnknown
    /// A quota is used up, or we are too fast.
    case busy
    /// The answer is not what it should be. A change was made all the same.
    case malformedAnswer

    /// A second access token is not good either.
    case unauthenticated
    /// A role is missing, or the API is switched off.
    case permissionDenied
    /// No such project or tenant, or Authentication was never enabled there.
    case notConfigured
    /// Any other code.
    case rejected(status: Int)

    case userNotFound
    case userDisabled
    case emailExists
    case duplicateLocalID
    case federatedIDTaken
    case invalidCustomToken
    /// The custom token was made for another project than the API key's.
    case credentialMismatch
    case tenantMismatch

    /// Whether the same question may be asked again, since Identity Toolkit refused it for the moment (429, 503) or
    /// never got it.
    package var isRefusalForNow: Bool {
        switch self {
        case .busy, .unavailable(status: 503): true
        case .unreachable(let error): !error.requestMayHaveArrived
        default: false
        }
    }

    /// Whether it is certain that all is as it was before.
    package var nothingWasWritten: Bool {
        switch self {
        case .outcomeUnknown, .malformedAnswer: false
        default: true
        }
    }
}

extension IdentityToolkitError {
    /// Reads an answer that is not 200.
    ///
    /// `{"error": {"code": 400, "message": "EMAIL_EXISTS : in words", "status": "INVALID_ARGUMENT"}}`. The code ends at
    /// the first colon.
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
