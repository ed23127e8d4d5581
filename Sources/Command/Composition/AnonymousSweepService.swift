internal import Firebase
internal import JOSE
internal import Logging
internal import ServiceLifecycle
internal import Settings
internal import Stores

/// Removes the anonymous accounts that have come to their end, once a minute.
///
/// Those that were there when a retention was switched on get their end then; if it is switched off, an account that
/// has one keeps it.
struct AnonymousSweepService: Service {
    let deployment: Deployment

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var marked: Duration?
            repeat {
                marked = await mark(unless: marked)
                await sweep()
            } while (try? await Task.sleep(for: .seconds(60))) != nil
        }
    }

    /// Gives those that have no end one, where a retention has just been switched on; those that are made later get
    /// theirs at once.
    ///
    /// - Returns: the retention that all have.
    private func mark(unless marked: Duration?) async -> Duration? {
        let retention = deployment.settings.accounts.anonymousRetention
        guard let retention, retention != marked else { return retention }
        do {
            _ = try await deployment.store.markAnonymous(deleteAfter: deployment.time.now() + retention)
            return retention
        } catch {
            deployment.logger.warning("anonymous accounts not marked", metadata: ["error": "\(error)"])
            return marked
        }
    }

    private func sweep() async {
        do {
            let count = try await AnonymousSweep(deployment.store, deployment.anonymousUsers).run(
                at: deployment.time.now())
            guard count.left > 0 else { return }
            deployment.logger.notice(
                "swept accounts whose Firebase users stay", metadata: ["count": "\(count.left)"])
        } catch {
            deployment.logger.warning("anonymous accounts not swept", metadata: ["error": "\(error)"])
        }
    }
}
