internal import CoreMetrics
internal import JOSE
internal import Logging
internal import OperatingSystem
internal import ServiceLifecycle
internal import Settings
internal import Stores

/// Deletes expired records in small batches.
struct RecordSweep {
    typealias Records = SpentCredentials & Handoffs & DeviceGrants & PendingCredentials

    private static let batch = 200
    /// The longest pause between two batches.
    ///
    /// With 200 records in a batch, the sweep deletes nearly 8,000 records per second, which is more than one server
    /// adds.
    private static let longestPause: Duration = .milliseconds(25)

    let store: any Records
    var metrics: any MetricsFactory = NOOPMetricsHandler.instance

    /// Deletes the records of all kinds that expired before a time.
    ///
    /// - Parameter moment: The time, which ``SweepStep`` determines.
    /// - Returns: The number of records.
    /// - Throws: ``StoreError``; what was deleted before stays deleted.
    func run(before moment: NumericDate) async throws(StoreError) -> Int {
        try await inBatches { limit throws(StoreError) in
            try await store.sweep(expiredBefore: moment, atMost: limit)
        }
            + inBatches { limit throws(StoreError) in
                try await store.sweepHandoffs(expiredBefore: moment, atMost: limit)
            }
            + inBatches { limit throws(StoreError) in
                try await store.sweepDeviceGrants(expiredBefore: moment, atMost: limit)
            }
            + inBatches { limit throws(StoreError) in
                try await store.sweepPendingCredentials(expiredBefore: moment, atMost: limit)
            }
    }

    /// Sweeps in batches.
    ///
    /// After each batch it pauses for four times the duration of the batch, but no longer than `longestPause`, because
    /// sign-ins write to the same tables.
    private func inBatches(_ sweep: (Int) async throws(StoreError) -> Int) async throws(StoreError) -> Int {
        var all = 0
        while !Task.isCancelled {
            let began = ContinuousClock.now
            let count = try await sweep(Self.batch)
            Counter(label: "token_exchange_swept_rows_total", factory: metrics).increment(by: count)
            all += count
            guard count == Self.batch else { break }
            let took = began.duration(to: .now)
            try? await Task.sleep(for: min(took * 4, Self.longestPause))
        }
        return all
    }
}

/// Deletes expired records at each interval, and returns unused memory to the system.
struct SweepService: Service {
    let store: any RecordSweep.Records & StoreStatistics & StoreWatch
    /// The store of the configuration, for the advice in the log.
    let configured: Settings.Store
    /// `server.sweep_interval`; `nil` if nothing is deleted.
    let interval: Duration?
    let time: TimeSource
    let logger: Logger
    let metrics: any MetricsFactory

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var minute = 0
            var problem: Problem?
            while (try? await Task.sleep(for: interval ?? .seconds(60))) != nil {
                if interval != nil { problem = await sweep(after: problem) }
                ProcessMemory.giveBack()
                // The count reads all rows, so that it is not made at each sweep.
                if minute % 10 == 0, !configured.isMetered, let rows = try? await store.spentRows() {
                    Meter(label: "token_exchange_spent_rows", factory: metrics).set(rows)
                }
                minute += 1
            }
        }
    }

    /// Why nothing was swept.
    private enum Problem: Equatable {
        case clock
        case store(StoreError)
    }

    /// - Parameter last: The problem of the previous sweep, which is not logged twice.
    /// - Returns: The problem; `nil` if the sweep is complete.
    private func sweep(after last: Problem?) async -> Problem? {
        do throws(StoreError) {
            let now = time.now()
            let reading = try await store.watchReading()
            guard let moment = SweepStep.end(at: now, reading) else {
                guard last != .clock else { return last }
                logger.warning(
                    "nothing is swept: the clock differs from the store's by more than a minute, was set back, or jumped ahead",
                    metadata: [
                        "now": "\(now.seconds)", "watched_until": "\(reading.watchedUntil.seconds)",
                        "store_clock": "\(reading.clock.map { "\($0.seconds)" } ?? "")",
                    ])
                return .clock
            }
            _ = try await RecordSweep(store: store, metrics: metrics).run(before: moment)
            return nil
        } catch {
            if last != .store(error) {
                logger.warning("expired records not swept", metadata: error.metadata(for: configured))
            }
            return .store(error)
        }
    }
}

/// Records every few seconds until when the store has watched, and logs gaps and a wrong clock.
///
/// If the process is killed, the record is at most 10 seconds old, so that at most this time counts as unwatched.
struct WatchService: Service {
    static let interval = Duration.seconds(4)

    let store: any StoreWatch
    /// The store of the configuration, for the advice in the log.
    let configured: Settings.Store
    let time: TimeSource
    let logger: Logger
    let metrics: any MetricsFactory

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var last = Observation()
            repeat {
                last = await observe(last)
            } while (try? await Task.sleep(for: Self.interval)) != nil
        }
    }

    /// The state that was already logged, so that nothing is logged twice.
    private struct Observation {
        var unwatchedUntil: NumericDate?
        var isBehind = false
        var isAhead = false
        var error: StoreError?
    }

    private func observe(_ last: Observation) async -> Observation {
        var new = last
        do throws(StoreError) {
            let now = time.now()
            try await store.watch(at: now)
            let reading = try await store.watchReading()
            new.error = nil
            new.unwatchedUntil = reading.unwatchedUntil
            Meter(label: "token_exchange_watched_until_timestamp_seconds", factory: metrics)
                .set(reading.watchedUntil.seconds)
            Meter(label: "token_exchange_swept_through_timestamp_seconds", factory: metrics)
                .set(reading.sweptThrough.seconds)
            if let known = last.unwatchedUntil, known != reading.unwatchedUntil {
                logger.warning(
                    "the store was not watched for a while: what was issued before it watched again may be refused",
                    metadata: ["unwatched_until": "\(reading.unwatchedUntil.seconds)"])
            }
            new.isBehind = reading.isBehind(now)
            if new.isBehind, !last.isBehind {
                logger.error(
                    "the clock was set back, or was ahead before: sign-ins are answered with clock_behind",
                    metadata: [
                        "advice": "\(reading.remedy(at: now))",
                        "watched_until": "\(reading.watchedUntil.seconds)",
                        "swept_through": "\(reading.sweptThrough.seconds)", "now": "\(now.seconds)",
                    ])
            }
            new.isAhead = reading.isFarBehind(now)
            if new.isAhead, !last.isAhead {
                logger.error(
                    "the clock jumped ahead: sign-ins are answered with clock_behind until it is right, or unchanged for a minute",
                    metadata: ["watched_until": "\(reading.watchedUntil.seconds)", "now": "\(now.seconds)"])
            }
        } catch {
            new.error = error
            if last.error != error {
                logger.warning(
                    "the time that the store watches is not recorded", metadata: error.metadata(for: configured))
            }
        }
        return new
    }
}
