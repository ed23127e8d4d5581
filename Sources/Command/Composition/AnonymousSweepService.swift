internal import Firebase
internal import JOSE
internal import Logging
internal import ServiceLifecycle
internal import Settings
internal import Stores

/// Removes the anonymous accounts that have come to their end, once a minute.
///
/// Those that were there when a retention was switched on get their end then; switched off, whoever has one keeps it.
struct AnonymousSweepService: Service {
    let deployment: Deployment

    func run() async throws {
        await cancelWhenGracefulShutdown {
            // Firebase users whose account is gone here, and who could not be deleted there yet.
            var left: [String] = []
            var marked: Duration?
            repeat {
                marked = await mark(unless: marked)
                left = await sweep(left)
            } while (try? await Task.sleep(for: .seconds(60))) != nil
        }
    }

    /// Gives those that have no end one, where a retention has just been switched on; those that are made later get theirs
    /// at once.
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

    private func sweep(_ left: [String]) async -> [String] {
        let store = deployment.store
        let now = deployment.time.now()
        var uids = left
        do {
            var isMore = true
            while isMore, !Task.isCancelled {
                let stale = try await store.staleAnonymous(at: now, atMost: 500)
                try await deployment.firebaseDirectory?.keepUpgraded(stale, at: now)
                // No others: a uid that is retired is nobody's ever after.
                uids += try await store.sweepAnonymous(stale, at: now)
                isMore = stale.count == 500
            }
        } catch {
            deployment.logger.warning("anonymous accounts not swept", metadata: ["error": "\(error)"])
        }
        return await deletedAtFirebase(uids)
    }

    /// - Returns: those that have to be tried again.
    private func deletedAtFirebase(_ uids: [String]) async -> [String] {
        guard !uids.isEmpty, let directory = deployment.firebaseDirectory else { return [] }
        do {
            let kept = try await directory.deleteSwept(uids)
            if !kept.isEmpty {
                deployment.logger.notice(
                    "swept accounts whose Firebase users stay", metadata: ["count": "\(kept.count)"])
            }
            return []
        } catch {
            deployment.logger.warning(
                "Firebase users of swept accounts not deleted yet",
                metadata: ["count": "\(uids.count)", "error": "\(error)"])
            return uids
        }
    }
}
