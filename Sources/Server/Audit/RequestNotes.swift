internal import Accounts
internal import Firebase
internal import Flows
internal import OAuth
internal import Providers
internal import Synchronization
internal import Verification

/// What is learnt of a request while it is answered, for the audit trail.
final class RequestNotes: Sendable {
    private struct State {
        var subject = AuditSubject()
        var done: AuditEvent.Kind?
    }

    private let state = Mutex(State())

    var subject: AuditSubject { state.withLock { $0.subject } }
    /// What was done; nil as long as nothing was.
    var done: AuditEvent.Kind? { state.withLock { $0.done } }

    /// Notes them as they are registered in `flows`; a client or provider that is not registered is not noted.
    func note(client: ClientID, provider: ProviderID?, in flows: FlowSet) {
        state.withLock { state in
            if let registered = flows.clients[client] { state.subject.client = registered.id.text }
            if let provider, let registered = flows.providers[provider] {
                state.subject.provider = registered.id.text
            }
        }
    }

    func note(uid: String) { state.withLock { $0.subject.uid = uid } }

    func note(appCheck failure: AppCheckFailure) {
        state.withLock {
            $0.subject.appCheck =
                switch failure {
                case .missing: "missing"
                case .invalid: "invalid"
                }
        }
    }

    func note(_ identity: VerifiedIdentity) {
        state.withLock { state in
            state.subject.provider = identity.provider.text
            state.subject.audienceProof = identity.audienceProof.rawValue
        }
    }

    func done(_ outcome: SignInOutcome) {
        if let identity = outcome.account.identity { note(identity) }
        note(uid: outcome.account.uid.text)
        state.withLock { $0.subject.emailHeldBy = outcome.account.emailHeldBy }
        done(.mint)
    }

    func done(_ kind: AuditEvent.Kind, mergedUID: String? = nil) {
        state.withLock { state in
            state.done = kind
            state.subject.mergedUID = mergedUID
        }
    }
}
