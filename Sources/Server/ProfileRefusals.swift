package import JOSE
package import OAuth
package import Providers
internal import Synchronization

/// Parts of profiles that providers refuse for good, counted for the metrics.
///
/// People are signed in without them, so that nothing else tells an operator.
package final class ProfileRefusals: Sendable {
    struct Label: Hashable, Sendable {
        let provider: String
        let cause: String
    }

    private struct State {
        var counts: [Label: Int] = [:]
        var toldAt: [Label: NumericDate] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    var counts: [(label: Label, count: Int)] {
        state.withLock { $0.counts.map { ($0.key, $0.value) } }
    }

    /// - Returns: Whether the log shall tell of it: each cause once a minute.
    package func record(_ provider: ProviderID, _ failure: ProviderFailure, at now: NumericDate) -> Bool {
        let label = Label(provider: provider.text, cause: Self.cause(of: failure))
        return state.withLock { state in
            state.counts[label, default: 0] += 1
            if let toldAt = state.toldAt[label], now < toldAt + .seconds(60), toldAt <= now { return false }
            state.toldAt[label] = now
            return true
        }
    }

    /// One of a fixed list, or a status.
    private static func cause(of failure: ProviderFailure) -> String {
        switch failure {
        case .refusedClient(let refusal): refusal.rawValue
        case .failed(let status): "status_\(status)"
        default: "other"
        }
    }
}
