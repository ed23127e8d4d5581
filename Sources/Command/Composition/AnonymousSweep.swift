internal import Firebase
internal import JOSE
internal import Logging
internal import ServiceLifecycle
internal import Settings
internal import Stores

/// Removes the anonymous accounts that have come to their end, here and at Firebase.
struct AnonymousSweep {
    /// How many accounts a sweep came to.
    struct Count {
        var removed = 0
        /// The accounts of this and of earlier sweeps whose Firebase users stay.
        var left = 0
    }

    private static let batch = 500

    private let store: any Store
    private let users: AnonymousUsers

    init(_ store: any Store, _ users: AnonymousUsers) {
        self.store = store
        self.users = users
    }

    /// Retires nothing before Identity Toolkit was asked for it, so that a user who has got a way in natively keeps the
    /// account.
    ///
    /// What was retired, and not deleted at Firebase, is remembered by the store, and comes first the next
    /// time.
    ///
    /// - Throws: if the store, or Firebase, does not answer.
    func run(at now: NumericDate) async throws(StoreError) -> Count {
        var count = Count()
        count.left += try await deleteLeft(at: now)
        var isMore = true
        while isMore, !Task.isCancelled {
            let stale = try await store.staleAnonymous(at: now, atMost: Self.batch)
            try await users.keepUpgraded(stale, at: now)
            // No others: a uid that is retired is never given again.
            count.removed += try await store.sweepAnonymous(stale, at: now).count
            count.left += try await deleteLeft(at: now)
            isMore = stale.count == Self.batch
        }
        return count
    }

    /// - Returns: how many users stay, since the service account may not delete them or they have got another way in.
    private func deleteLeft(at now: NumericDate) async throws(StoreError) -> Int {
        var kept = 0
        while !Task.isCancelled {
            let uids = try await store.leftAtFirebase(atMost: Self.batch)
            do {
                kept += try await users.deleteSwept(uids, at: now).count
            } catch {
                throw StoreError(error)
            }
            try await store.forgetLeftAtFirebase(uids)
            guard uids.count == Self.batch else { break }
        }
        return kept
    }
}

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
