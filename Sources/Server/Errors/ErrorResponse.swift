internal import HTTPTypes
internal import Hummingbird
internal import Jansson
internal import Standards

/// The response to a refusal: the members of RFC 6749 §5.2 with `reason`, `code`, `request_id` and those of its detail.
struct ErrorResponse: Sendable, Equatable {
    let refusal: Refusal
    private(set) var status: Int
    /// A registered OAuth code.
    private(set) var error: String

    init(_ refusal: Refusal) {
        self.refusal = refusal
        status = refusal.reason.status
        error = refusal.error
    }

    /// What to do after a 429 or a 5xx: send the same request again, or let the user sign in at the provider again, because
    /// the credential is spent.
    var retry: String? {
        switch refusal.retry {
        case .never: nil
        case .ifUnspent: refusal.isUnspent ? "same" : "restart"
        case .restart: "restart"
        }
    }

    /// Seconds for `Retry-After`, and the maximum of the random part that is added to them.
    var retryAfter: (seconds: Int64, spread: Int64)? {
        switch refusal.detail {
        case .retryAfter(let seconds): (seconds, 0)
        case .outage(let seconds): (seconds, 3)
        default: refusal.reason.status == 503 ? (1, 3) : nil
        }
    }

    /// The value of `WWW-Authenticate` for a 401 (RFC 6750 §3, RFC 6749 §5.2).
    var challenge: String? {
        if refusal.detail == .basicAuthentication { return "Basic realm=\"token-exchange\"" }
        return switch (refusal.reason.error, refusal.reason) {
        case ("invalid_token", .idTokenMissing): "Bearer realm=\"token-exchange\""
        case ("invalid_token", _): "Bearer realm=\"token-exchange\", error=\"invalid_token\""
        default: nil
        }
    }

    /// The text of a hook for the user.
    var message: String? {
        if case .message(let text) = refusal.detail { text } else { nil }
    }

    /// Whether the server must not read further requests from the connection, as after a body that it refuses to read.
    var endsConnection: Bool {
        status == 413 || refusal.reason == .draining || refusal.detail == .endsConnection
    }

    func json(requestID: String) -> JSON {
        var members: [String: JSON] = [
            "error": .string(error),
            "error_description": .string(refusal.description),
            "reason": .string(refusal.reason.rawValue),
            "code": .string(refusal.reason.firebaseCode),
            "request_id": .string(requestID),
        ]
        members["retry"] = retry.map(JSON.string)
        switch refusal.detail {
        case .parameter(let name): if ParameterName.mayBeRepeated(name) { members["parameter"] = .string(name) }
        case .message(let text): members["message"] = text.map(JSON.string)
        case .pending(let pending):
            members["pending_credential"] = .string(pending.pendingCredential.secretText)
            switch pending.kind {
            case .credentialAlreadyInUse(let uid): members["existing_uid"] = .string(uid.text)
            case .accountExists(let email, let providers):
                members["email"] = email.map(JSON.string)
                members["providers"] = .array(providers.map { .string($0.text) })
            case .secondFactor(let kinds): members["factors"] = .array(kinds.map(JSON.string))
            }
        case .retryAfter, .outage, .methods, .basicAuthentication, .endsConnection, nil: break
        }
        return .object(members)
    }
}

extension ErrorResponse {
    /// The same error as `/token` reports it: 403 and 409 become 400 (RFC 6749 §5.2), and an invalid subject token is
    /// `invalid_request` (RFC 8693 §2.2.2).
    func atTokenEndpoint(of grant: GrantType?) -> ErrorResponse {
        let isSubjectToken = grant == .tokenExchange && error == "invalid_grant"
        var response = self
        response.status = refusal.reason.status(for: .tokenEndpoint)
        if isSubjectToken { response.error = "invalid_request" }
        return response
    }

    /// The `error` for a redirect to the application: a registered code (RFC 6749 §4.1.2.1, OpenID Connect Core
    /// §3.1.2.6), `server_error`, or the reason of a conflict, which an application has to tell from a refusal.
    var redirectError: String {
        if refusal.reason == .accountExists { return refusal.reason.rawValue }
        let registered = [
            "invalid_request", "unauthorized_client", "access_denied", "unsupported_response_type", "invalid_scope",
            "temporarily_unavailable", "login_required", "account_selection_required", "consent_required",
            "interaction_required",
        ]
        return registered.contains(error) ? error : "server_error"
    }

    var pageStatus: Int { refusal.reason.status(for: .person) }
}

extension Reason {
    /// The readers of a response, who get different statuses for one reason.
    enum Reader {
        case application
        /// A client of OAuth (RFC 6749 §5.2), which knows 400 and, for its own authentication, 401.
        case tokenEndpoint
        /// A person with a browser. 401, 403 and 409 are for API clients.
        case person
    }

    func status(for reader: Reader) -> Int {
        switch reader {
        case .application: status
        case .tokenEndpoint: [403, 409].contains(status) ? 400 : status
        case .person: [401, 403, 409].contains(status) ? 400 : status
        }
    }
}

/// The names of parameters that an error response may repeat: 1 to 64 visible ASCII characters.
///
/// The client chooses the names. Repeating any name would let a request write arbitrary text into logs and consoles.
enum ParameterName {
    static func mayBeRepeated(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

extension Response {
    static func refusal(_ error: ErrorResponse, requestID: String) -> Response {
        var response = json(error.json(requestID: requestID), status: HTTPResponse.Status(code: error.status))
        response.annotate(with: error)
        return response
    }

    /// Adds the header fields of an error response.
    mutating func annotate(with error: ErrorResponse) {
        if let (seconds, spread) = error.retryAfter {
            headers[.retryAfter] = String(seconds + Int64.random(in: 0...spread))
        }
        if case .methods(let allowed) = error.refusal.detail {
            headers[.allow] = allowed.joined(separator: ", ")
        }
        headers[.wwwAuthenticate] = error.challenge
        // The server does not wait for the rest of a body that it refuses to read.
        if error.endsConnection {
            headers[.connection] = "close"
        }
    }
}
