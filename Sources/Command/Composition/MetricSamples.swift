internal import Flows
internal import JOSE
internal import OperatingSystem
internal import Providers
internal import Server
internal import Settings
internal import Standards
internal import Stores

/// The values that are read when `/metrics` is requested.
///
/// Nothing here waits for the store or a peer: the metrics are needed most when one of them is down.
struct MetricSamples: Sendable {
    private let deployment: Deployment
    private let startedAt: NumericDate

    init(_ deployment: Deployment) {
        self.deployment = deployment
        startedAt = deployment.time.now()
    }

    func callAsFunction() async -> [MetricSample] {
        let flows = deployment.flows
        let failures = deployment.survivedFailures
        var samples = [
            MetricSample("token_exchange_store_waiting", Double(deployment.store.waitingCalls)),
            MetricSample("token_exchange_build_info", 1, [("version", programVersion)]),
            MetricSample("token_exchange_log_lines_dropped_total", Double(LogSink.standardOutput.droppedLines)),
            MetricSample("process_start_time_seconds", Double(startedAt.seconds)),
            MetricSample(
                "token_exchange_configuration_not_reloaded", failures.contains(.configurationNotReloaded) ? 1 : 0),
            MetricSample("token_exchange_key_files_lost", failures.contains(.keyFilesLost) ? 1 : 0),
        ]
        if let expiry = deployment.certificateExpiry {
            samples.append(MetricSample("token_exchange_certificate_expires_timestamp_seconds", Double(expiry)))
        }
        for provider in flows.providers.values {
            guard let until = await provider.openIDConnect?.keys.usableUntil else { continue }
            samples.append(
                MetricSample(
                    "token_exchange_key_set_expires_timestamp_seconds", Double(until.seconds),
                    [("provider", provider.id.text)]))
        }
        if let resources = ProcessResources.current() {
            samples += [
                MetricSample("process_cpu_seconds_total", resources.processorSeconds),
                MetricSample("process_resident_memory_bytes", Double(resources.residentBytes)),
                MetricSample("process_open_fds", Double(resources.openDescriptors)),
                MetricSample("process_max_fds", Double(resources.maximumDescriptors)),
            ]
        }
        return samples
    }
}
