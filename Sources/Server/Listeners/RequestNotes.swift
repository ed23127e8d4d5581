internal import Flows
internal import Providers
internal import Standards
internal import Synchronization

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

    /// Records the provider of a request that no client sends.
    func note(provider: ProviderID) { state.withLock { $0.subject.provider = provider } }

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
            state.subject.event = fact.event?.rawValue
        }
    }
}
