internal import JOSE
internal import Logging
internal import OperatingSystem
internal import ServiceLifecycle
internal import Stores

/// Forgets what has expired, in small batches, once a minute, and gives the memory of past requests back.
struct SweepService: Service {
    private static let batch = 200
    /// Short enough that even then more records go than exchanges can add.
    private static let longestPause: Duration = .milliseconds(25)

    let store: any SpentCredentials & Handoffs & DeviceGrants & PendingCredentials & StoreWatch
    let time: TimeSource
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: .seconds(60))) != nil {
                await sweep()
                ProcessMemory.giveBack()
            }
        }
    }

    private func sweep() async {
        do {
            let reading = try await store.watchReading()
            guard let moment = SweepStep.end(at: time.now(), reading) else {
                return logger.warning(
                    "nothing is swept: the clock differs from the store's by more than a minute, or was set back",
                    metadata: [
                        "now": "\(time.now().seconds)",
                        "store_clock": "\(reading.clock.map { "\($0.seconds)" } ?? "")",
                    ])
            }
            try await inBatches { limit throws(StoreError) in
                try await store.sweep(expiredBefore: moment, atMost: limit)
            }
            try await inBatches { limit throws(StoreError) in
                try await store.sweepHandoffs(expiredBefore: moment, atMost: limit)
            }
            try await inBatches { limit throws(StoreError) in
                try await store.sweepDeviceGrants(expiredBefore: moment, atMost: limit)
            }
            try await inBatches { limit throws(StoreError) in
                try await store.sweepPendingCredentials(expiredBefore: moment, atMost: limit)
            }
        } catch {
            logger.warning("expired records not swept", metadata: ["error": "\(error)"])
        }
    }

    /// Sign-ins write to the same tables: the sweep takes a fifth of the store's time, and no batch holds it for long.
    private func inBatches(_ sweep: (Int) async throws(StoreError) -> Int) async throws(StoreError) {
        while !Task.isCancelled {
            let began = ContinuousClock.now
            guard try await sweep(Self.batch) == Self.batch else { return }
            let took = began.duration(to: .now)
            try? await Task.sleep(for: min(took * 4, Self.longestPause))
        }
    }
}
