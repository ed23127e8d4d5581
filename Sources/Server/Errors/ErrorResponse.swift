internal import Flows
internal import Jansson
internal import OAuth

/// One refusal as the client sees it: RFC 6749 §5.2 with `reason`, `code`, `request_id` and, where it may help,
/// `retry`.
struct ErrorResponse: Sendable, Equatable {
    var status: Int
    /// A registered OAuth code.
    var error: String
    let reason: Reason
    /// For the application's developer: what was wrong, and what to send instead.
    ///
    /// A constant, ASCII, without quotation marks and backslashes (RFC 6749 §5.2); nothing of the request is in it.
    let description: String
    var retry: Retry?
    /// Seconds.
    var retryAfter: Int64?
    /// The parameter that the request must not have, if it can be named.
    var parameter: ParameterName?
    /// The methods that `Allow` names in a 405.
    var allowed: [String] = []
    /// `WWW-Authenticate` of a 401 that needs one.
    var challenge: String?
    /// The pending credential of a 409, and what the application may be told beside it.
    var conflict: AccountConflict?
    /// Whether what follows on the connection is not to be read.
    var endsConnection = false

    /// What to do after a 429 or a 5xx.
    enum Retry: String, Sendable {
        /// The credential was given back: the same request may be sent again.
        case same
        /// The credential is spent: sign in at the provider again.
        case restart
    }

    init(
        _ status: Int, _ error: String, _ reason: Reason, _ description: String, retry: Retry? = nil,
        retryAfter: Int64? = nil, allowed: [String] = []
    ) {
        self.status = status
        self.error = error
        self.reason = reason
        self.description = description
        self.retry = retry
        self.retryAfter = retryAfter
        self.allowed = allowed
    }

    func json(requestID: String) -> JSON {
        var members: [String: JSON] = [
            "error": .string(error),
            "error_description": .string(description),
            "reason": .string(reason.rawValue),
            "code": .string(reason.firebaseCode),
            "request_id": .string(requestID),
        ]
        if let retry {
            members["retry"] = .string(retry.rawValue)
        }
        members["parameter"] = parameter.map { .string($0.text) }
        if let conflict {
            members["pending_credential"] = .string(conflict.pendingCredential.secretText)
            if case .accountExists(let email, let providers) = conflict.kind {
                members["email"] = email.map(JSON.string)
                members["providers"] = .array(providers.map(JSON.string))
            }
        }
        return .object(members)
    }
}
