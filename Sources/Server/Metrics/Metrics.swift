package import CoreMetrics
internal import Standards

/// The metrics of the process, which `/metrics` returns.
package struct Metrics: Sendable {
    private let prometheus = PrometheusMetrics(MetricFamily.all)

    package init() {}

    /// The backend, for components that have instruments of their own.
    package var factory: any MetricsFactory { prometheus }

    func record(endpoint: String, status: Int, reason: Reason?, took: Duration) {
        count(
            "token_exchange_requests_total",
            [("endpoint", endpoint), ("status", String(status)), ("reason", reason?.rawValue ?? "")])
        Timer(label: "token_exchange_request_seconds", dimensions: [("endpoint", endpoint)], factory: factory)
            .recordNanoseconds(took.nanoseconds)
    }

    func recordSignIn(provider: String) {
        count("token_exchange_signins_total", [("provider", provider)])
    }

    func recordEvent(provider: String, event: String) {
        count("token_exchange_provider_events_total", [("provider", provider), ("event", event)])
    }

    /// - Parameter listener: `public` or `admin`.
    func recordAcceptPause(listener: String) {
        count("token_exchange_accept_pauses_total", [("listener", listener)])
    }

    func recordRefusedConnection(reason: String) {
        count("token_exchange_refused_connections_total", [("reason", reason)])
    }

    /// - Parameters:
    ///   - listener: `public` or `admin`.
    ///   - kind: `connections` or `streams`.
    func recordGivenWay(listener: String, kind: String) {
        count("token_exchange_given_way_total", [("listener", listener), ("kind", kind)])
    }

    func count(_ label: String, _ dimensions: [(String, String)]) {
        Counter(label: label, dimensions: dimensions, factory: factory).increment()
    }

    /// Returns all series as text, together with values that are read only now.
    func text(_ concurrencyLimit: ConcurrencyLimit, _ samples: [MetricSample]) -> String {
        prometheus.text(
            with: samples + [
                MetricSample("token_exchange_requests_in_flight", Double(concurrencyLimit.inFlight)),
                MetricSample("token_exchange_requests_receiving", Double(concurrencyLimit.bodies)),
            ])
    }
}

extension Duration {
    /// The duration in whole nanoseconds; `Int64.max` for 292 years and more.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : product + attoseconds / 1_000_000_000
    }
}
