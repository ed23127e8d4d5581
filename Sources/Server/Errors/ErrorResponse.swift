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

extension ErrorResponse {
    static let userDisabled = Self(
        403, "access_denied", .userDisabled,
        "An administrator has disabled the account. Only the operator can enable it.")

    static let secondFactorRequired = Self(
        403, "access_denied", .secondFactorRequired,
        "The Firebase user has a second factor, which a custom token would bypass. Sign in with Firebase's SDK."
    )

    /// RFC 6750 §3.
    static func bearer(_ reason: Reason, _ description: String) -> Self {
        var answer = Self(401, "invalid_token", reason, description)
        answer.challenge =
            reason == .idTokenMissing
            ? "Bearer realm=\"token-exchange\"" : "Bearer realm=\"token-exchange\", error=\"invalid_token\""
        return answer
    }

    static func invalidRequest(_ reason: Reason, _ description: String) -> Self {
        invalidRequest(400, reason, description)
    }

    static func invalidRequest(_ status: Int, _ reason: Reason, _ description: String) -> Self {
        Self(status, "invalid_request", reason, description)
    }

    /// Names the parameter as the request did, if its name may be repeated.
    static func invalidRequest(_ reason: Reason, _ description: String, parameter: String) -> Self {
        var answer = invalidRequest(400, reason, description)
        answer.parameter = ParameterName(parameter)
        return answer
    }

    static func invalidGrant(_ reason: Reason, _ description: String) -> Self {
        Self(400, "invalid_grant", reason, description)
    }

    /// RFC 6749 §5.2: a client that tried to authenticate by the header field is told how in the same way.
    static func clientAuthentication(byHeader: Bool) -> Self {
        var answer = Self(
            401, "invalid_client", .unknownClient,
            "Clients are public here. Send client_id in the form, and no Authorization field and no secret.")
        if byHeader { answer.challenge = "Basic realm=\"token-exchange\"" }
        return answer
    }

    static let replayed = Self(
        400, "invalid_grant", .replayed, "This credential was already used. Sign in at the provider again.")

    /// A 400 that carries `retry`: the request is right, and the credential may be; only its age is in the way.
    static let issuedUnwatched = Self(
        400, "invalid_grant", .issuedUnwatched,
        "This credential was issued before the server began to record what is used, or while it did not. Sign in at the "
            + "provider again.", retry: .restart)

    static let internalError = Self(
        500, "server_error", .internal,
        "The server failed. Tell the operator the request_id, which is in the server's log.",
        retry: .restart)

    /// `temporarily_unavailable` is registered for redirects (RFC 6749 §4.1.2.1); beside a 5xx it is our choice.
    static func provider(
        _ status: Int, _ reason: Reason, _ description: String, _ retry: Retry, retryAfter: Int64? = nil
    ) -> Self {
        Self(status, "temporarily_unavailable", reason, description, retry: retry, retryAfter: retryAfter)
    }

    static func unavailable(_ reason: Reason, _ description: String, _ retry: Retry) -> Self {
        Self(503, "temporarily_unavailable", reason, description, retry: retry, retryAfter: 1)
    }
}

extension ErrorResponse {
    /// At `/token` every 403 and 409 is a 400 (RFC 6749 §5.2), and a bad subject token is `invalid_request` (RFC 8693
    /// §2.2.2).
    func atTokenEndpoint(of grant: GrantType?) -> ErrorResponse {
        let isSubjectToken = grant == .tokenExchange && error == "invalid_grant"
        // A copy, so that no further member of the answer is lost on the way.
        var answer = self
        if [403, 409].contains(status) { answer.status = 400 }
        if isSubjectToken { answer.error = "invalid_request" }
        return answer
    }

    /// The `error` of a redirect to the application: only these are registered for it (RFC 6749 §4.1.2.1, OpenID
    /// Connect Core §3.1.2.6).
    var redirectError: String {
        let registered = [
            "invalid_request", "unauthorized_client", "access_denied", "unsupported_response_type", "invalid_scope",
            "temporarily_unavailable", "login_required", "account_selection_required", "consent_required",
            "interaction_required",
        ]
        return registered.contains(error) ? error : "server_error"
    }

    /// The status of a page: 400 for what is wrong with a link or a form, whatever it would be for a program.
    var pageStatus: Int {
        [401, 403, 409].contains(status) ? 400 : status
    }
}

/// The name of a parameter as a refusal may repeat it: 1 to 64 visible ASCII characters.
///
/// A request chooses the names of its parameters. One that is longer, or that holds anything else, is not repeated: a
/// refusal must not carry text of a request into logs and consoles.
struct ParameterName: Sendable, Equatable {
    let text: String

    /// Returns nil if the name must not be repeated.
    init?(_ text: String) {
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        self.text = text
    }
}
