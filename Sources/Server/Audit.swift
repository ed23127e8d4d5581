package import Flows
package import Jansson
package import Standards

/// One line of the audit trail: an operation on an account, or a refusal.
///
/// ```json
/// {"audit":"mint","audience_proof":"id_token_aud","client":"my-app","endpoint":"/v1/exchange",
///  "provider":"yahoo.com","request_id":"…","time":"2023-11-14T22:13:20.125Z","uid":"yahoo.com:UQ…"}
/// ```
/// It contains identifiers and times, never a token, a code or an email address.
package struct AuditEvent: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case completed(AuditFact.Operation)
        case refusal

        fileprivate var name: String {
            switch self {
            case .completed(let operation): operation.rawValue
            case .refusal: "refusal"
            }
        }
    }

    package let kind: Kind
    package let time: Timestamp
    package let requestID: String
    package let endpoint: String
    package let subject: AuditSubject
    /// The reason of a refusal, as in the response; `nil` for a success.
    package let reason: String?

    /// The event as one line of JSON, without a line break.
    package var line: String { String(decoding: JSON.object(members).serialized(), as: UTF8.self) }

    /// The members of that line.
    package var members: [String: JSON] {
        var members: [String: JSON] = [
            "audit": .string(kind.name), "time": .string("\(time)"), "request_id": .string(requestID),
            "endpoint": .string(endpoint),
        ]
        members["client"] = subject.client.map { .string($0.text) }
        members["provider"] = subject.provider.map { .string($0.text) }
        members["audience_proof"] = subject.audienceProof.map(JSON.string)
        members["uid"] = subject.uid.map { .string($0.text) }
        members["merged_uid"] = subject.mergedUID.map { .string($0.text) }
        members["email_held_by"] =
            subject.emailHeldBy.isEmpty ? nil : .array(subject.emailHeldBy.map { .string($0.text) })
        members["app_check"] = subject.appCheck.map(JSON.string)
        members["event"] = subject.event.map(JSON.string)
        members["reason"] = reason.map(JSON.string)
        return members
    }
}

/// The client, provider and account of a request, as far as they are known.
///
/// Only configured clients and providers are recorded, so that a request cannot write arbitrary text into the trail.
package struct AuditSubject: Sendable, Equatable {
    package var client: ClientID?
    package var provider: ProviderID?
    package var audienceProof: String?
    package var uid: UID?
    package var mergedUID: UID?
    /// The uids of other accounts with the verified email address that this sign-in added to its account.
    package var emailHeldBy: [UID] = []
    /// What happened at the provider that sent an event.
    package var event: String?
    /// The App Check failure of a client that only logs failures.
    package var appCheck: String?

    package init() {}
}

/// The destination of audit events.
package struct AuditTrail: Sendable {
    /// Records an event without blocking, because the response waits for it.
    package let record: @Sendable (AuditEvent) -> Void

    package init(record: @escaping @Sendable (AuditEvent) -> Void) {
        self.record = record
    }

    package static let none = AuditTrail { _ in }
}
