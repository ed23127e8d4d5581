public import Foundation

/// Why a call failed: the server refused it, or it did not reach the server.
public struct TokenExchangeError: Error, Sendable {
    /// What to do after a failure that passes.
    public enum Retry: String, Sendable {
        /// The credential was not used. The client has sent the request again; the application may do so later.
        case same
        /// The credential is used. The user has to sign in at the provider again.
        case restart
    }

    /// The cause.
    public let reason: Reason
    /// The error code of the Firebase SDK for JavaScript, such as `auth/invalid-credential`.
    public let code: String
    /// What was wrong and what to do, for the developer.
    public let message: String
    /// What to do after a failure that passes; `nil` after any other.
    public let retry: Retry?
    /// The number of seconds to wait before the next try.
    public let retryAfter: TimeInterval?
    /// The verified identity of a conflict, or of a sign-in that needs a second factor.
    public let pendingCredential: PendingCredential?
    /// The account that has the identity, with ``Reason/credentialAlreadyInUse``.
    public let existingUID: String?
    /// The e-mail address of both accounts, with ``Reason/accountExistsWithDifferentCredential``.
    public let email: String?
    /// The providers of the older account, with ``Reason/accountExistsWithDifferentCredential``.
    public let providers: [Provider]
    /// The kinds of codes that the user may enter, with ``Reason/secondFactorRequired``, without those that this version does
    /// not know.
    public let factors: [FactorCode.Kind]
    /// The parameter to leave out, if a parameter was refused.
    public let parameter: String?
    /// The text of the operator for the user, with ``Reason/blockedByHook``.
    public let userMessage: String?
    /// The HTTP status; `nil` if there was no response.
    public let status: Int?
    /// The id of the request in the log of the server.
    public let requestID: String?
    /// The error of the connection, of the browser or of a closure of the application.
    public let underlyingError: (any Error)?

    /// A cause of an error, which keeps its text if a newer server names it.
    public struct Reason: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public init(stringLiteral name: String) { rawValue = name }

        /// The task was cancelled, or the user closed the browser.
        public static let cancelled: Reason = "cancelled"
        /// The user refused at the provider or on the page of the server.
        public static let accessDenied: Reason = "access_denied"
        /// The credential was used before.
        public static let replayed: Reason = "replayed"
        /// The credential, the session or the pending credential is too old.
        public static let expired: Reason = "expired"
        /// The code of the device is too old.
        public static let expiredToken: Reason = "expired_token"
        /// The identity belongs to another account, which ``existingUID`` names.
        ///
        /// ``TokenExchangeClient/merge(_:)`` moves the identities of that account to this one. To change to that account, call
        /// ``TokenExchangeClient/signIn(with:)`` after a link by a credential, and
        /// ``TokenExchangeClient/signIn(with:scopes:parameters:in:)`` after a link by a browser.
        public static let credentialAlreadyInUse: Reason = "credential_already_in_use"
        /// The verified address belongs to an older account: sign in with one of ``providers``, then link
        /// ``pendingCredential``.
        ///
        /// There is no pending credential if the user cancelled on the page of the server.
        public static let accountExistsWithDifferentCredential: Reason = "account_exists_with_different_credential"
        /// The account has another identity of this provider.
        public static let providerAlreadyLinked: Reason = "provider_already_linked"
        /// The account has no identity of this provider.
        public static let noSuchProvider: Reason = "no_such_provider"
        /// The account has no other sign-in method.
        public static let lastIdentity: Reason = "last_identity"
        /// The identity belongs to another user.
        public static let userMismatch: Reason = "user_mismatch"
        /// The user has to reauthenticate first.
        public static let requiresRecentLogin: Reason = "requires_recent_login"
        /// The account cannot be merged, because it has a sign-in method of Firebase or a second factor.
        public static let mergeNotPossible: Reason = "merge_not_possible"
        /// The credential or the pending credential is for another call, such as the one of a link for a sign-in.
        public static let intentMismatch: Reason = "intent_mismatch"
        /// The user has to enter a code.
        ///
        /// With a ``pendingCredential``, see ``TokenExchangeClient/signIn(finishing:with:)``. Without one, a call about the account
        /// requires a session that has just proven the second factor: sign in with
        /// ``TokenExchangeClient/signIn(with:scopes:parameters:in:)``, whose page asks for the code, and repeat the call.
        public static let secondFactorRequired: Reason = "second_factor_required"
        /// The code is wrong or was used.
        public static let secondFactorInvalid: Reason = "second_factor_invalid"
        /// Too many wrong codes: see ``retryAfter``.
        public static let secondFactorLocked: Reason = "second_factor_locked"
        /// This client may not use the provider.
        public static let providerDisabled: Reason = "provider_disabled"
        /// The request has no App Check token: make the client with `appCheckToken`.
        public static let appCheckRequired: Reason = "app_check_required"
        /// The App Check token is not valid.
        public static let appCheckInvalid: Reason = "app_check_invalid"
        /// The operator has disabled the account.
        public static let userDisabled: Reason = "user_disabled"
        /// The account was deleted or merged.
        public static let accountGone: Reason = "account_gone"
        /// The Firebase ID token has expired: refresh it.
        public static let idTokenExpired: Reason = "id_token_expired"
        /// The session of the user was ended.
        public static let idTokenRevoked: Reason = "id_token_revoked"
        /// The operator's hook refused: see ``userMessage``.
        public static let blockedByHook: Reason = "blocked_by_hook"
        /// Too many requests: see ``retryAfter``.
        public static let rateLimited: Reason = "rate_limited"
        /// The connection failed, and the server may have received the request.
        public static let networkFailed: Reason = "network_failed"
        /// The response is not one of a token-exchange server.
        public static let unexpectedResponse: Reason = "unexpected_response"
        /// The browser cannot be shown, or showed an error of its own.
        public static let browserFailed: Reason = "browser_failed"
        /// A closure of the application returned no Firebase ID token or no App Check token, or a session came in place of a
        /// custom token.
        public static let tokenUnavailable: Reason = "token_unavailable"
        /// The server is neither `https` nor on a loopback address.
        public static let insecureServer: Reason = "insecure_server"
    }
}

extension TokenExchangeError: LocalizedError, CustomStringConvertible {
    /// The message.
    public var errorDescription: String? { message }
    /// The reason, the code and the message, without any secret.
    public var description: String { "\(reason.rawValue) (\(code)): \(message)" }
}

extension TokenExchangeError {
    /// An error that the server sent.
    ///
    /// A response of a proxy in front of the server may lack every member.
    init(_ answer: ErrorAnswer?, status: Int, retryAfter: TimeInterval?) {
        reason =
            answer?.reason.map(Reason.init(rawValue:)) ?? answer?.error.map(Reason.init(rawValue:))
            ?? .unexpectedResponse
        code = answer?.code ?? "auth/internal-error"
        message =
            answer?.errorDescription
            ?? (answer?.reason == nil && answer?.error == nil
                ? Self.foreignResponse(" with the status \(status)")
                : "The server responded with the status \(status).")
        retry = answer?.retry.flatMap(Retry.init)
        self.retryAfter = retryAfter
        pendingCredential = answer?.pendingCredential.map(PendingCredential.init(handle:))
        existingUID = answer?.existingUid
        email = answer?.email
        providers = (answer?.providers ?? []).map(Provider.init(_:))
        factors = (answer?.factors ?? []).compactMap(FactorCode.Kind.init)
        parameter = answer?.parameter
        userMessage = answer?.message
        self.status = status
        requestID = answer?.requestId
        underlyingError = nil
    }

    /// An error of this library.
    init(_ reason: Reason, code: String, _ message: String, underlying: (any Error)? = nil) {
        self.reason = reason
        self.code = code
        self.message = message
        retry = nil
        retryAfter = nil
        pendingCredential = nil
        existingUID = nil
        email = nil
        providers = []
        factors = []
        parameter = nil
        userMessage = nil
        status = nil
        requestID = nil
        underlyingError = underlying
    }

    static func foreignResponse(_ kind: String = "") -> String {
        "The response\(kind) is not the JSON of a token-exchange server: the server's URL must be its public_url, and a proxy in "
            + "front of it may have responded."
    }

    static func unexpectedResponse(_ message: String) -> Self {
        Self(.unexpectedResponse, code: "auth/internal-error", message)
    }

    static let cancelled = Self(.cancelled, code: "auth/user-cancelled", "The call was cancelled.")

    /// The error of a browser or of a pause.
    init(browser error: any Error) {
        if let known = error as? TokenExchangeError {
            self = known
        } else if Self.isCancellation(error) {
            self = .cancelled
        } else {
            var words = error.localizedDescription
            if case .system(let number)? = error as? LoopbackError {
                words =
                    "the listener on 127.0.0.1 failed (errno \(number)). On macOS a sandboxed application needs the "
                    + "entitlement com.apple.security.network.server."
            }
            self.init(
                .browserFailed, code: "auth/operation-not-supported-in-this-environment",
                "The browser failed: \(words)", underlying: error)
        }
    }

    /// Whether the error reports a cancelled task or a browser that the user closed.
    static func isCancellation(_ error: any Error) -> Bool {
        #if canImport(AuthenticationServices)
            if isClosedSession(error) { return true }
        #endif
        return error is CancellationError || (error as? URLError)?.code == .cancelled
            || (error as? LoopbackError) == .cancelled
    }

    /// Whether the user closed a session of the system, by the details of an error with the code `canceledLogin`.
    ///
    /// The system sends the same code, with a reason, if the application is not associated with the host of an `https` redirect
    /// URI.
    static func isClosedByUser(_ details: [String: Any]) -> Bool {
        details[NSLocalizedFailureReasonErrorKey] == nil
    }
}
