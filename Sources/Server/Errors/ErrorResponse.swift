internal import Flows
internal import Jansson
internal import SecondFactors
internal import Standards

/// An error response: the members of RFC 6749 §5.2 with `reason`, `code`, `request_id` and an optional `retry`.
struct ErrorResponse: Sendable, Equatable {
    var status: Int
    /// A registered OAuth code.
    var error: String
    let reason: Reason
    /// The text for the application developer: what was wrong, then what to do.
    ///
    /// A constant in ASCII without quotation marks and backslashes (RFC 6749 §5.2). It contains no text of the request.
    let description: String
    var retry: Retry?
    /// Seconds until a retry, for `Retry-After`.
    var retryAfter: Int64?
    /// The maximum of the random number of seconds that `Retry-After` adds to ``retryAfter``.
    ///
    /// It is greater than 0 for an outage: the server then refuses many clients at the same time, and they must not
    /// return at the same time.
    var retrySpread: Int64 = 0
    /// The parameter that the request must omit; `nil` if its name must not be repeated.
    var parameter: ParameterName?
    /// The text of a hook for the user; the only text that is not of this server.
    var message: String?
    /// The methods for the `Allow` field of a 405.
    var allowed: [String] = []
    /// The value of `WWW-Authenticate` for a 401; `nil` omits the field.
    var challenge: String?
    /// The pending credential of a 409, and the members about the other account.
    var conflict: AccountConflict?
    /// The pending credential of a sign-in that continues with a second factor.
    var factorChallenge: FactorChallenge?
    /// Whether the server must not read further requests from the connection.
    var endsConnection = false

    /// What to do after a 429 or a 5xx.
    enum Retry: String, Sendable {
        /// The credential is not spent: the client may send the same request again.
        case same
        /// The credential is spent: the user has to sign in at the provider again.
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
        members["message"] = message.map(JSON.string)
        if let conflict {
            members["pending_credential"] = .string(conflict.pendingCredential.secretText)
            switch conflict.kind {
            case .credentialAlreadyInUse(let uid): members["existing_uid"] = .string(uid)
            case .accountExists(let email, let providers):
                members["email"] = email.map(JSON.string)
                members["providers"] = .array(providers.map(JSON.string))
            }
        }
        if let factorChallenge {
            members["pending_credential"] = .string(factorChallenge.pendingCredential.secretText)
            members["factors"] = .array(factorChallenge.kinds.map { .string($0.rawValue) })
        }
        return .object(members)
    }
}

extension ErrorResponse {
    static let userDisabled = Self(
        403, "access_denied", .userDisabled,
        "The account is disabled. Only the operator can enable it.")

    static let secondFactorRequired = Self(
        403, "access_denied", .secondFactorRequired,
        "The user has a second factor of Firebase, which a custom token would bypass. Sign in with the Firebase SDK.")

    /// A 401 with the challenge of RFC 6750 §3.
    static func bearer(_ reason: Reason, _ description: String) -> Self {
        var response = Self(401, "invalid_token", reason, description)
        response.challenge =
            reason == .idTokenMissing
            ? "Bearer realm=\"token-exchange\"" : "Bearer realm=\"token-exchange\", error=\"invalid_token\""
        return response
    }

    static func invalidRequest(_ reason: Reason, _ description: String) -> Self {
        invalidRequest(400, reason, description)
    }

    static func invalidRequest(_ status: Int, _ reason: Reason, _ description: String) -> Self {
        Self(status, "invalid_request", reason, description)
    }

    /// Names the parameter if ``ParameterName`` permits to repeat its name.
    static func invalidRequest(_ reason: Reason, _ description: String, parameter: String) -> Self {
        var response = invalidRequest(400, reason, description)
        response.parameter = ParameterName(parameter)
        return response
    }

    static func invalidGrant(_ reason: Reason, _ description: String) -> Self {
        Self(400, "invalid_grant", reason, description)
    }

    /// RFC 6749 §5.2: the response to a client that used the `Authorization` field has a `WWW-Authenticate` field.
    static func clientAuthentication(byHeader: Bool) -> Self {
        clientRefusal(
            byHeader: byHeader,
            "All clients are public. Send client_id in the form, or as the user name of Authorization: Basic, and no "
                + "secret.")
    }

    static func clientRefusal(byHeader: Bool, _ description: String) -> Self {
        var response = Self(401, "invalid_client", .unknownClient, description)
        if byHeader { response.challenge = "Basic realm=\"token-exchange\"" }
        return response
    }

    static let replayed = Self(
        400, "invalid_grant", .replayed, "This credential was already used. Sign in at the provider again.")

    /// A 400 with `retry`: the server cannot know whether a credential of this age was used before.
    static let issuedUnwatched = Self(
        400, "invalid_grant", .issuedUnwatched,
        "This credential was issued before the server began to record used credentials, or while it could not record "
            + "them. Sign in at the provider again.", retry: .restart)

    static let internalError = Self(
        500, "server_error", .internal,
        "The server failed. Report the request_id to the operator: the server log contains it.",
        retry: .restart)

    /// `temporarily_unavailable` is registered for redirects (RFC 6749 §4.1.2.1); this server uses it with 5xx as well.
    static func provider(
        _ status: Int, _ reason: Reason, _ description: String, _ retry: Retry, retryAfter: Int64? = nil
    ) -> Self {
        Self(status, "temporarily_unavailable", reason, description, retry: retry, retryAfter: retryAfter)
    }

    static func unavailable(_ reason: Reason, _ description: String, _ retry: Retry) -> Self {
        Self(503, "temporarily_unavailable", reason, description, retry: retry, retryAfter: 1).spread()
    }

    /// Returns the error with a random part of `Retry-After`.
    func spread() -> Self {
        var response = self
        response.retrySpread = 3
        return response
    }
}

extension ErrorResponse {
    /// The same error as `/token` reports it: 403 and 409 become 400 (RFC 6749 §5.2), and an invalid subject token is
    /// `invalid_request` (RFC 8693 §2.2.2).
    func atTokenEndpoint(of grant: GrantType?) -> ErrorResponse {
        let isSubjectToken = grant == .tokenExchange && error == "invalid_grant"
        var response = self
        if [403, 409].contains(status) { response.status = 400 }
        if isSubjectToken { response.error = "invalid_request" }
        return response
    }

    /// The `error` for a redirect to the application: a registered code (RFC 6749 §4.1.2.1, OpenID Connect Core
    /// §3.1.2.6), `server_error`, or the reason of a conflict, which an application has to tell from a refusal.
    var redirectError: String {
        if reason == .accountExists { return reason.rawValue }
        let registered = [
            "invalid_request", "unauthorized_client", "access_denied", "unsupported_response_type", "invalid_scope",
            "temporarily_unavailable", "login_required", "account_selection_required", "consent_required",
            "interaction_required",
        ]
        return registered.contains(error) ? error : "server_error"
    }

    /// The status of a page: 400 instead of 401, 403 and 409, which are for API clients.
    var pageStatus: Int {
        [401, 403, 409].contains(status) ? 400 : status
    }
}

/// The name of a parameter that an error response may repeat: 1 to 64 visible ASCII characters.
///
/// The client chooses the names. Repeating any name would let a request write arbitrary text into logs and consoles.
struct ParameterName: Sendable, Equatable {
    let text: String

    /// Returns `nil` if the name must not be repeated.
    init?(_ text: String) {
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        self.text = text
    }
}
