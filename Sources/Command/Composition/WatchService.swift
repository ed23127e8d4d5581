internal import JOSE
internal import Logging
internal import ServiceLifecycle
internal import Stores

/// Records every few seconds until when the store has watched, and says when it has not, or when the clock is wrong.
///
/// After a kill the record is at most 10 seconds old, so that no more than that is taken for unwatched time.
struct WatchService: Service {
    private static let interval = Duration.seconds(4)

    let store: any StoreWatch
    let time: TimeSource
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var last = Observation()
            repeat {
                last = await observe(last)
            } while (try? await Task.sleep(for: Self.interval)) != nil
        }
    }

    /// What was said about it, so that nothing is said twice.
    private struct Observation {
        var unwatchedUntil: NumericDate?
        var isBehind = false
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
            if let known = last.unwatchedUntil, known != reading.unwatchedUntil {
                logger.warning(
                    "the store was not watched for a while: what was issued before it watched again may be refused",
                    metadata: ["unwatched_until": "\(reading.unwatchedUntil.seconds)"])
            }
            new.isBehind = reading.isBehind(now)
            if new.isBehind, !last.isBehind {
                logger.error(
                    "the clock was set back: sign-ins are answered with clock_behind until its time has passed",
                    metadata: [
                        "watched_until": "\(reading.watchedUntil.seconds)",
                        "swept_through": "\(reading.sweptThrough.seconds)", "now": "\(now.seconds)",
                    ])
            }
        } catch {
            new.error = error
            if last.error != error {
                logger.warning("the time that the store watches is not recorded", metadata: ["error": "\(error.code)"])
            }
        }
        return new
    }
}
