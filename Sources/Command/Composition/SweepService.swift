internal import JOSE
internal import Logging
internal import ServiceLifecycle
internal import Stores

/// Forgets what has expired, in small batches, once a minute.
struct SweepService: Service {
    let store: any SpentCredentials & Handoffs & DeviceGrants & PendingCredentials & StoreWatch
    let time: TimeSource
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: .seconds(60))) != nil {
                await sweep()
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
            while try await store.sweep(expiredBefore: moment, atMost: 500) == 500, !Task.isCancelled {}
            while try await store.sweepHandoffs(expiredBefore: moment, atMost: 500) == 500, !Task.isCancelled {}
            while try await store.sweepDeviceGrants(expiredBefore: moment, atMost: 500) == 500, !Task.isCancelled {}
            while try await store.sweepPendingCredentials(expiredBefore: moment, atMost: 500) == 500,
                !Task.isCancelled
            {}
        } catch {
            logger.warning("expired records not swept", metadata: ["error": "\(error)"])
        }
    }
}
