package import CoreMetrics
internal import Prometheus

/// The metrics of the process, which `/metrics` returns.
package struct Metrics: Sendable {
    private let prometheus = PrometheusMetrics(MetricFamily.all)

    package init() {}

    /// The backend, for components that have instruments of their own.
    package var factory: any MetricsFactory { prometheus }

    func record(endpoint: String, status: Int, reason: Reason?, took: Duration) {
        Counter(
            label: "token_exchange_requests_total",
            dimensions: [("endpoint", endpoint), ("status", String(status)), ("reason", reason?.rawValue ?? "")],
            factory: factory
        ).increment()
        Timer(label: "token_exchange_request_seconds", dimensions: [("endpoint", endpoint)], factory: factory)
            .recordNanoseconds(took.nanoseconds)
    }

    func recordSignIn(provider: String) {
        Counter(label: "token_exchange_signins_total", dimensions: [("provider", provider)], factory: factory)
            .increment()
    }

    /// - Parameter listener: `public` or `admin`.
    func recordAcceptPause(listener: String) {
        Counter(label: "token_exchange_accept_pauses_total", dimensions: [("listener", listener)], factory: factory)
            .increment()
    }

    /// Returns all series as text, after setting the gauges that are read only now.
    func text(_ admission: Admission, _ readings: [Reading]) -> String {
        set("token_exchange_requests_in_flight", Double(admission.inFlight))
        set("token_exchange_requests_receiving", Double(admission.bodies))
        for reading in readings {
            if Self.counters.contains(reading.family) {
                let counter = FloatingPointCounter(
                    label: reading.family, dimensions: reading.labels, factory: factory)
                counter.reset()
                counter.increment(by: reading.value)
            } else {
                set(reading.family, reading.value, reading.labels)
            }
        }
        return prometheus.text()
    }

    private static let counters = Set(MetricFamily.all.filter { $0.kind == .counter }.map(\.name))

    private func set(_ family: String, _ value: Double, _ labels: [(String, String)] = []) {
        Meter(label: family, dimensions: labels, factory: factory).set(value)
    }

    /// The value of a gauge, or the total of a counter, at the time of a scrape.
    package struct Reading: Sendable {
        let family: String
        let labels: [(String, String)]
        let value: Double

        /// Creates a value.
        ///
        /// - Parameters:
        ///   - family: The name of a gauge or counter of ``MetricFamily/all``.
        ///   - value: The value of the gauge, or the total of the counter since the start of the process.
        ///   - labels: The labels, from fixed lists.
        package init(_ family: String, _ value: Double, _ labels: [(String, String)] = []) {
            self.family = family
            self.value = value
            self.labels = labels
        }
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
