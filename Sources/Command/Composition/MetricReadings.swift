internal import CommandSupport
internal import Documents
internal import Flows
internal import JOSE
internal import OAuth
internal import OperatingSystem
internal import Providers
internal import Server
internal import Stores

/// The gauges that are read when `/metrics` is requested.
struct MetricReadings: Sendable {
    private let deployment: Deployment
    private let startedAt: NumericDate

    init(_ deployment: Deployment) {
        self.deployment = deployment
        startedAt = deployment.time.now()
    }

    func callAsFunction() async -> [Metrics.Reading] {
        let flows = deployment.flows
        var readings = [
            Metrics.Reading("token_exchange_store_waiting", Double(deployment.store.waitingCalls)),
            Metrics.Reading("token_exchange_signatures_waiting", Double(flows.waitingSignatures)),
            Metrics.Reading("token_exchange_build_info", 1, [("version", programVersion)]),
            Metrics.Reading("token_exchange_log_lines_dropped_total", Double(LogSink.standardOutput.droppedLines)),
            Metrics.Reading("process_start_time_seconds", Double(startedAt.seconds)),
        ]
        if let reading = try? await deployment.store.watchReading() {
            readings.append(
                Metrics.Reading(
                    "token_exchange_watched_until_timestamp_seconds", Double(reading.watchedUntil.seconds)))
        }
        for provider in flows.providers.values {
            guard let until = await provider.openIDConnect?.keys.usableUntil else { continue }
            readings.append(
                Metrics.Reading(
                    "token_exchange_key_set_expires_timestamp_seconds", Double(until.seconds),
                    [("provider", provider.id.text)]))
        }
        if let resources = ProcessResources.current() {
            readings += [
                Metrics.Reading("process_cpu_seconds_total", resources.processorSeconds),
                Metrics.Reading("process_resident_memory_bytes", Double(resources.residentBytes)),
                Metrics.Reading("process_open_fds", Double(resources.openDescriptors)),
                Metrics.Reading("process_max_fds", Double(resources.maximumDescriptors)),
            ]
        }
        return readings
    }
}
