package import JOSE
package import OAuth
package import Providers
package import Stores
internal import Synchronization

/// Counters of the public listener, in the Prometheus text format.
///
/// Labels come from fixed lists (endpoints, reasons, configured providers), so that a request cannot create new series.
package final class Metrics: Sendable {
    private let counts = Mutex<Counts>(Counts())

    private struct Counts {
        var requests: [RequestLabel: Int] = [:]
        var seconds: [String: Double] = [:]
        var signIns: [String: Int] = [:]
        var acceptPauses: [String: Int] = [:]
    }

    private struct RequestLabel: Hashable {
        let endpoint: String
        let status: Int
        let reason: String
    }

    private let store: StoreTimes?
    private let profileRefusals: ProfileRefusals

    /// Creates the counters.
    ///
    /// - Parameters:
    ///   - store: The times of the store; `nil` if the store does not measure them.
    ///   - profileRefusals: The counters of refused profile requests.
    package init(store: StoreTimes? = nil, profileRefusals: ProfileRefusals = ProfileRefusals()) {
        self.store = store
        self.profileRefusals = profileRefusals
    }

    func record(endpoint: String, status: Int, reason: Reason?, took: Duration) {
        let (seconds, attoseconds) = took.components
        counts.withLock { counts in
            counts.requests[
                RequestLabel(endpoint: endpoint, status: status, reason: reason?.rawValue ?? ""), default: 0] += 1
            counts.seconds[endpoint, default: 0] += Double(seconds) + Double(attoseconds) / 1e18
        }
    }

    func recordSignIn(provider: String) {
        counts.withLock { $0.signIns[provider, default: 0] += 1 }
    }

    /// - Parameter listener: `public` or `admin`.
    func recordAcceptPause(listener: String) {
        counts.withLock { $0.acceptPauses[listener, default: 0] += 1 }
    }

    func text(_ admission: Admission) -> String {
        let counts = counts.withLock { $0 }
        var lines = ["# TYPE token_exchange_requests_total counter"]
        lines += counts.requests.map { label, count in
            #"token_exchange_requests_total{endpoint="\#(label.endpoint)",status="\#(label.status)","#
                + #"reason="\#(label.reason)"} \#(count)"#
        }.sorted()
        lines.append("# TYPE token_exchange_request_seconds_total counter")
        lines += counts.seconds.map { endpoint, seconds in
            #"token_exchange_request_seconds_total{endpoint="\#(endpoint)"} \#(seconds)"#
        }.sorted()
        lines.append("# TYPE token_exchange_signins_total counter")
        lines += counts.signIns.map { provider, count in
            #"token_exchange_signins_total{provider="\#(provider)"} \#(count)"#
        }.sorted()
        lines.append("# TYPE token_exchange_profile_refusals_total counter")
        lines += profileRefusals.counts.map { label, count in
            #"token_exchange_profile_refusals_total{provider="\#(label.provider)",cause="\#(label.cause)"} \#(count)"#
        }.sorted()
        lines.append("# TYPE token_exchange_accept_pauses_total counter")
        lines += counts.acceptPauses.map { listener, count in
            #"token_exchange_accept_pauses_total{listener="\#(listener)"} \#(count)"#
        }.sorted()
        if let store {
            lines += [
                "# TYPE token_exchange_store_questions_total counter",
                "token_exchange_store_questions_total \(store.questions)",
                "# TYPE token_exchange_store_seconds_total counter",
                "token_exchange_store_seconds_total \(store.time / .seconds(1))",
            ]
        }
        lines += [
            "# TYPE token_exchange_requests_in_flight gauge",
            "token_exchange_requests_in_flight \(admission.inFlight)",
            "# TYPE token_exchange_requests_receiving gauge",
            "token_exchange_requests_receiving \(admission.bodies)",
        ]
        return lines.joined(separator: "\n") + "\n"
    }
}

/// Counters of profile requests that a provider refuses permanently.
///
/// A sign-in succeeds without the profile, so that these counters and one log line are the only signs of the problem.
package final class ProfileRefusals: Sendable {
    struct Label: Hashable, Sendable {
        let provider: String
        let cause: String
    }

    private struct State {
        var counts: [Label: Int] = [:]
        var loggedAt: [Label: NumericDate] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    var counts: [(label: Label, count: Int)] {
        state.withLock { $0.counts.map { ($0.key, $0.value) } }
    }

    /// Counts a refusal.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - failure: The failure of the profile request.
    ///   - now: The time.
    /// - Returns: Whether to log it: once a minute for each provider and cause.
    package func record(_ provider: ProviderID, _ failure: ProviderFailure, at now: NumericDate) -> Bool {
        let label = Label(provider: provider.text, cause: Self.cause(of: failure))
        return state.withLock { state in
            state.counts[label, default: 0] += 1
            if let loggedAt = state.loggedAt[label], now < loggedAt + .seconds(60), loggedAt <= now { return false }
            state.loggedAt[label] = now
            return true
        }
    }

    /// Returns the label of a failure: the reason of the refusal, `status_` with the HTTP status, or `other`.
    private static func cause(of failure: ProviderFailure) -> String {
        switch failure {
        case .refusedClient(let refusal): refusal.rawValue
        case .failed(let status): "status_\(status)"
        default: "other"
        }
    }
}
