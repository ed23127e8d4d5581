internal import Firebase
internal import JOSE
internal import Logging
internal import ServiceLifecycle
internal import Settings
internal import Standards
internal import Stores

/// Deletes the anonymous accounts whose retention has ended, here and at Firebase.
struct AnonymousSweep {
    /// The result of a sweep, in accounts.
    struct Count {
        var removed = 0
        /// Accounts of this and of earlier sweeps whose Firebase users were kept.
        var left = 0
    }

    private static let batch = 500

    private let store: any Store
    private let users: AnonymousUsers

    init(_ store: any Store, _ users: AnonymousUsers) {
        self.store = store
        self.users = users
    }

    /// Deletes the accounts.
    ///
    /// Asks Identity Toolkit before it retires a uid, so that a user who has added a native sign-in method keeps the
    /// account. The store records accounts that were retired but not yet deleted at Firebase; the next sweep handles
    /// them first.
    ///
    /// - Throws: An error if the store or Firebase does not respond.
    func run(at now: NumericDate) async throws(StoreError) -> Count {
        var count = Count()
        count.left += try await deleteLeft(at: now)
        var isMore = true
        while isMore, !Task.isCancelled {
            let stale = try await store.staleAnonymous(at: now, atMost: Self.batch)
            try await users.keepUpgraded(stale, at: now)
            // Only these: a retired uid is never assigned again.
            count.removed += try await store.sweepAnonymous(stale, at: now).count
            count.left += try await deleteLeft(at: now)
            isMore = stale.count == Self.batch
        }
        return count
    }

    /// Deletes the Firebase users that earlier steps left.
    ///
    /// - Returns: The number of users that were kept: the service account may not delete them, or they have another
    ///   sign-in method.
    func deleteLeft(at now: NumericDate) async throws(StoreError) -> Int {
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

    /// Drops the rows of adopted accounts that got no identity.
    static func dropAdopted(_ store: any Store, at now: NumericDate) async throws(StoreError) {
        while try await store.sweepAdopted(at: now, atMost: batch) == batch, !Task.isCancelled {}
    }
}

/// Deletes the anonymous accounts whose retention has ended, and the rows of adopted accounts that got no identity, at each
/// interval.
///
/// For existing accounts the retention starts when it is switched on. Without a retention no account is deleted, also
/// none whose end date was set before.
struct AnonymousSweepService: Service {
    let deployment: Deployment
    /// `server.sweep_interval`; `nil` if nothing is deleted.
    let interval: Duration?

    func run() async throws {
        guard let interval else { return try await gracefulShutdown() }
        await cancelWhenGracefulShutdown {
            var marked: Duration?
            repeat {
                if await isClockBelieved {
                    marked = await mark(unless: marked)
                    await sweep()
                    await sweepAdopted()
                }
            } while (try? await Task.sleep(for: interval)) != nil
        }
    }

    /// Whether an account that has expired now is not needed later.
    private var isClockBelieved: Bool {
        get async {
            // If the store does not respond, nothing can be deleted either.
            (try? await deployment.store.watchReading())?.allowsDeletion(at: deployment.time.now()) ?? false
        }
    }

    /// Sets an end date for accounts without one if a retention has just been switched on.
    ///
    /// New accounts get theirs when they are created.
    ///
    /// - Returns: The retention that all accounts have.
    private func mark(unless marked: Duration?) async -> Duration? {
        let retention = deployment.settings.accounts.anonymousRetention
        guard let retention, retention != marked else { return retention }
        do throws(StoreError) {
            _ = try await deployment.store.markAnonymous(deleteAfter: deployment.time.now() + retention)
            return retention
        } catch {
            warn("anonymous accounts not marked", error)
            return marked
        }
    }

    /// Drops the rows of adopted accounts that got no identity.
    private func sweepAdopted() async {
        do throws(StoreError) {
            try await AnonymousSweep.dropAdopted(deployment.store, at: deployment.time.now())
        } catch {
            warn("adopted accounts not swept", error)
        }
    }

    /// Deletes accounts whose end date has passed, and in any case the Firebase users of accounts that were deleted.
    func sweep() async {
        let sweep = AnonymousSweep(deployment.store, deployment.anonymousUsers)
        let now = deployment.time.now()
        do throws(StoreError) {
            let left =
                deployment.settings.accounts.anonymousRetention == nil
                ? try await sweep.deleteLeft(at: now) : try await sweep.run(at: now).left
            guard left > 0 else { return }
            deployment.logger.notice(
                "swept accounts whose Firebase users stay: they have another sign-in method, or the service account may not delete users",
                metadata: ["count": "\(left)"])
        } catch {
            warn("anonymous accounts not swept", error)
        }
    }

    private func warn(_ message: Logger.Message, _ error: StoreError) {
        deployment.logger.warning(message, metadata: error.metadata(for: deployment.settings.store))
    }
}
