internal import JOSE
internal import Logging
internal import ServiceLifecycle
internal import Stores

/// Forgets what has expired, in small batches, once a minute.
struct SweepService: Service {
    let store: any SpentCredentials & Handoffs & DeviceGrants & PendingCredentials
    let time: TimeSource
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await checkClock()
            while (try? await Task.sleep(for: .seconds(60))) != nil {
                await sweep()
                await checkClock()
            }
        }
    }

    /// Says why people are refused whose credentials nobody has used.
    private func checkClock() async {
        guard let through = try? await store.sweptThrough(), time.now() < through else { return }
        logger.error(
            "the clock was set back: what expires before the latest sweep is refused as replayed",
            metadata: ["swept_through": "\(through.seconds)", "now": "\(time.now().seconds)"])
    }

    private func sweep() async {
        do {
            // An hour behind: a clock that was a little ahead then keeps nobody out, since what would have been swept is
            // taken for used until its time has passed.
            let moment = time.now() - .seconds(3600)
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
