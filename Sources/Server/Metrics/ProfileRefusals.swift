package import CoreMetrics
package import JOSE
package import Providers
package import Standards
internal import Synchronization

/// Counters of profile requests that a provider refuses permanently.
///
/// A sign-in succeeds without the profile, so that these counters and one log line are the only signs of the problem.
package final class ProfileRefusals: Sendable {
    private struct Label: Hashable {
        let provider: String
        let cause: String
    }

    private let factory: any MetricsFactory
    private let loggedAt = Mutex<[Label: NumericDate]>([:])

    package init(_ factory: any MetricsFactory) {
        self.factory = factory
    }

    /// Counts a refusal.
    ///
    /// - Returns: Whether to log it: once a minute for each provider and cause.
    package func record(_ provider: ProviderID, _ failure: ProviderFailure, at now: NumericDate) -> Bool {
        let label = Label(provider: provider.text, cause: Self.cause(of: failure))
        Counter(
            label: "token_exchange_profile_refusals_total",
            dimensions: [("provider", label.provider), ("cause", label.cause)], factory: factory
        ).increment()
        return loggedAt.withLock { loggedAt in
            if let last = loggedAt[label], now < last + .seconds(60), last <= now { return false }
            loggedAt[label] = now
            return true
        }
    }

    /// Returns the label of a failure: the reason of the refusal, `status_` with the HTTP status, `token_type`, or `other`.
    private static func cause(of failure: ProviderFailure) -> String {
        switch failure {
        case .refusedClient(let refusal): refusal.rawValue
        case .failed(let status): "status_\(status)"
        case .otherTokenType: "token_type"
        default: "other"
        }
    }
}
