internal import Jansson
internal import Transport

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
