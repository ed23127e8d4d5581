/// The reason why a request ends without what it asked for.
///
/// The rule that refuses throws it, or throws a ``RefusalCause`` with its refusal. ``init(_:)`` is the only translation:
/// ``SpentCredential/keepSpent(_:)``, the flows and the server call it for what a step has thrown.
package struct Refusal: Error, Sendable {
    package let reason: Reason
    /// The text for the application developer: what was wrong, then what to do.
    ///
    /// It is ASCII without quotation marks and backslashes (RFC 6749 §5.2), and contains no text of the request.
    package let description: String
    /// What was found and what was expected, for the operator; never a secret or text that the client chose.
    package let finding: String?
    /// A member of the response beyond those that every refusal has.
    package let detail: Detail?
    /// The error of a library that caused the refusal.
    package let cause: (any Error)?
    /// The member `error`, which differs from that of the reason only if another specification demands it.
    package let error: String
    /// The rule for the member `retry`, which differs from that of the reason only if the same request fails again.
    package let retry: Reason.Retry
    /// Whether the credential of the caller can be used again: the step that failed has issued nothing and written
    /// nothing, and everything that the request has spent was given back.
    package private(set) var isUnspent: Bool
    /// Whether an operator has to act although the status is not that of a fault of this server.
    package private(set) var concernsOperator = false
    /// What the provider says about its refusal, only for the operator: text of a peer, without credentials.
    package private(set) var words: String?

    package init(
        _ reason: Reason, _ description: String, finding: String? = nil, _ detail: Detail? = nil,
        error: String? = nil, retry: Reason.Retry? = nil, isUnspent: Bool = false, cause: (any Error)? = nil
    ) {
        self.reason = reason
        self.description = description
        self.finding = finding ?? cause.map { "\($0)" }
        self.detail = detail
        self.error = error ?? reason.error
        self.retry = retry ?? reason.retry
        self.isUnspent = isUnspent
        self.cause = cause
    }

    package enum Detail: Sendable, Equatable {
        /// The name of a parameter that the request must omit.
        case parameter(String)
        /// The text of a hook for the user; the only text that is not of this server.
        case message(String?)
        /// The sign-in continues with a pending credential.
        case pending(PendingSignIn)
        /// Seconds until a retry, for `Retry-After`.
        case retryAfter(Int64)
        /// Seconds until a retry, to which the response adds a random part: an outage concerns many clients at the same
        /// time, and they must not return at the same time.
        case outage(Int64)
        /// The methods for the `Allow` field of a 405.
        case methods([String])
        /// The request has an `Authorization` field, so that the 401 names its scheme (RFC 6749 §5.2).
        case basicAuthentication
        /// The server must not read further requests from the connection.
        case endsConnection
    }

    /// Returns the same refusal for a credential that is spent or unspent.
    package func with(isUnspent: Bool) -> Refusal {
        var refusal = self
        refusal.isUnspent = isUnspent
        return refusal
    }

    /// Returns the same refusal with what was found in this request, for the operator, in place of its finding and cause.
    package func with(finding: String?) -> Refusal {
        Refusal(reason, description, finding: finding, detail, error: error, retry: retry, isUnspent: isUnspent)
    }

    /// Returns names of the configuration as a finding lists them.
    package static func listed(_ names: some Sequence<String>) -> String {
        let text = names.sorted().joined(separator: ", ")
        return text.isEmpty ? "none" : text
    }

    /// The same refusal after the provider, or a change that cannot be undone, has spent the credential.
    package var spent: Refusal { with(isUnspent: false) }

    /// The same refusal if the provider, and not the caller, has caused it.
    package var concerningOperator: Refusal {
        var refusal = self
        refusal.concernsOperator = true
        return refusal
    }

    /// Returns the same refusal with what the provider says about it; `nil` leaves it unchanged.
    package func quoting(_ words: String?) -> Refusal {
        var refusal = self
        refusal.words = words ?? self.words
        return refusal
    }

    /// The same refusal if nothing was issued for the credential, so that it may be used again.
    package var unspent: Refusal { with(isUnspent: true) }
}

extension Refusal: Equatable {
    /// Compares everything but the cause, whose text is in ``finding``, and ``concernsOperator`` and ``words``, which only the
    /// log reads.
    package static func == (one: Refusal, other: Refusal) -> Bool {
        one.reason == other.reason && one.description == other.description && one.finding == other.finding
            && one.detail == other.detail && one.error == other.error && one.retry == other.retry
            && one.isUnspent == other.isUnspent
    }
}

/// An error of a library, a store, a provider or Firebase, with the refusal to which it leads.
package protocol RefusalCause: Error {
    /// The refusal, for a request that has spent no credential before the call that failed.
    var refusal: Refusal { get }
}

/// An error that names what an operator can do against it.
package protocol AdvisingCause: Error {
    /// The instruction, in complete sentences; `nil` if there is none.
    var advice: String? { get }
}

extension String {
    /// The text of a peer as a message may contain it: visible ASCII, at most 300 characters.
    package var shown: String {
        String(
            String.UnicodeScalarView(unicodeScalars.prefix(300).map { $0.value > 0x20 && $0.value < 0x7F ? $0 : "?" }))
    }
}

extension Refusal {
    /// Makes the refusal of an error that a step has thrown.
    ///
    /// An error that is no ``RefusalCause`` is a fault of this server.
    package init(_ error: any Error) {
        self =
            switch error {
            case let refusal as Refusal: refusal
            case let cause as any RefusalCause: cause.refusal
            default: .internalError(error)
            }
    }

    /// A fault of this server, of which the client learns nothing.
    ///
    /// - Parameter finding: The error in words, for the operator; `nil` stands for its description.
    package static func internalError(_ cause: any Error, finding: String? = nil) -> Refusal {
        Refusal(
            .internal, "The server failed. Report the request_id to the operator: the server log contains it.",
            finding: finding, cause: cause)
    }
}

/// A sign-in that continues with a pending credential instead of the credential, which is spent.
package struct PendingSignIn: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// The identity is linked to another account, which has this uid.
        ///
        /// The client receives the uid, because it has just proven the identity.
        case credentialAlreadyInUse(by: UID)
        /// The verified address of the identity belongs to another account.
        case accountExists(email: String?, providers: [ProviderID])
        /// The account has a second factor, and takes these kinds of codes.
        case secondFactor(kinds: [String])
    }

    package let kind: Kind
    /// The handle of the verified identity: valid once, for this client, for a limited time.
    package let pendingCredential: Secret

    package init(_ kind: Kind, _ pendingCredential: Secret) {
        self.kind = kind
        self.pendingCredential = pendingCredential
    }

    /// Compares the pending credentials as well.
    package static func == (one: Self, other: Self) -> Bool {
        one.kind == other.kind && one.pendingCredential.matches(other.pendingCredential)
    }
}
