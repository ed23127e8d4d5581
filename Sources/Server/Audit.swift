package import Flows
internal import Foundation
internal import Jansson
internal import Providers
package import Standards
internal import Synchronization
internal import Verification

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
    package var line: String {
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
        members["reason"] = reason.map(JSON.string)
        return String(decoding: JSON.object(members).serialized(), as: UTF8.self)
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

/// Collects the facts about a request for the audit trail while it is handled.
final class RequestNotes: Sendable {
    private struct State {
        var subject = AuditSubject()
        var completed: AuditFact.Operation?
    }

    private let state = Mutex(State())

    var subject: AuditSubject { state.withLock { $0.subject } }
    /// The operation that was completed; `nil` before.
    var completed: AuditFact.Operation? { state.withLock { $0.completed } }

    /// Records the client and the provider if they are configured, spelled as in the configuration.
    func note(client: ClientID, provider: ProviderID?, in flows: FlowSet) {
        state.withLock { state in
            if let registered = flows.clients[client] { state.subject.client = registered.id }
            if let provider, let registered = flows.providers[provider] {
                state.subject.provider = registered.id
            }
        }
    }

    /// Records the account and the provider of a request that names neither.
    private func note(uid: UID, provider: ProviderID) {
        state.withLock { state in
            state.subject.uid = uid
            state.subject.provider = provider
        }
    }

    /// What flows record while they handle the request.
    var journal: AuditJournal { AuditJournal(commit: note(_:), concern: note(uid:provider:)) }

    func note(uid: UID) { state.withLock { $0.subject.uid = uid } }

    func note(appCheck refusal: Refusal) {
        state.withLock {
            $0.subject.appCheck = refusal.reason == .appCheckRequired ? "missing" : "invalid"
        }
    }

    /// Records the fact of a completed operation.
    func note(_ fact: AuditFact) {
        state.withLock { state in
            state.completed = fact.operation
            if let uid = fact.uid { state.subject.uid = uid }
            if let client = fact.client { state.subject.client = client }
            if let provider = fact.provider { state.subject.provider = provider }
            if let proof = fact.audienceProof { state.subject.audienceProof = proof.rawValue }
            state.subject.mergedUID = fact.mergedUID
            state.subject.emailHeldBy = fact.emailHeldBy
        }
    }
}

/// A time as in log and audit lines: RFC 3339, in UTC, with milliseconds.
///
/// All texts have the same length, so that lines sort by time as text.
package struct Timestamp: Sendable, Equatable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Whole seconds, rounded down.
    package var seconds: Int64 { (milliseconds - fraction) / 1000 }

    private var fraction: Int64 { (milliseconds % 1000 + 1000) % 1000 }
}

extension Timestamp: CustomStringConvertible {
    package var description: String {
        let digits = String(fraction)
        return Self.text(ofSecond: seconds) + "." + String(repeating: "0", count: 3 - digits.count) + digits + "Z"
    }

    /// The text of the last formatted second, a cache: under load many lines share a second.
    private static let latest = Mutex<(second: Int64, text: String)?>(nil)

    // Formats whole seconds: the fraction of a `Double` could be rounded down to the millisecond before.
    private static func text(ofSecond second: Int64) -> String {
        latest.withLock { latest in
            if let latest, latest.second == second { return latest.text }
            let text = String(Date(timeIntervalSince1970: Double(second)).formatted(.iso8601).dropLast())
            latest = (second, text)
            return text
        }
    }
}
