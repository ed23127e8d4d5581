internal import Documents
internal import Firebase
package import Flows
package import JOSE
internal import Minting
internal import Providers
package import Stores

/// What has to work before a sign-in can succeed, as `/readyz` answers it.
package struct Readiness: Sendable {
    /// Asks one part, and returns in bounded time.
    package typealias Check = @Sendable () async -> Findings

    /// What a check has found; empty if all is well.
    package struct Findings: Sendable, Equatable {
        /// Names of parts, such as `store` or `clock_behind`: with one of them no sign-in can succeed.
        package var failing: [String] = []
        /// What an operator should look at while sign-ins go on, such as `keys of yahoo.com`.
        package var warnings: [String] = []

        package static let none = Self()

        package static func failing(_ part: String) -> Self { Self(failing: [part]) }

        package static func warning(_ text: String) -> Self { Self(warnings: [text]) }

        /// The part has a full queue.
        ///
        /// It is not broken: if it failed readiness, the load balancer would give its load to the other processes,
        /// which have full queues as well.
        package static func busy(_ part: String) -> Self { .warning("\(part) is busy") }
    }

    private let recent: RecentValue<Findings>

    /// - Parameters:
    ///   - now: A clock that is never set.
    ///   - checks: Asked at each round, since a reload changes the providers.
    package init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        checks: @escaping @Sendable () -> [Check]
    ) {
        recent = RecentValue(now: now) { await Self.round(checks()) }
    }

    /// In alphabetical order, and at most a second old when the checks are fast.
    func findings() async -> Findings {
        await recent.value()
    }

    private static func round(_ checks: [Check]) async -> Findings {
        await withTaskGroup(of: Findings.self) { group in
            for check in checks {
                group.addTask { await check() }
            }
            var all = Findings()
            for await findings in group {
                all.failing += findings.failing
                all.warnings += findings.warnings
            }
            all.failing.sort()
            all.warnings.sort()
            return all
        }
    }
}

/// What `/readyz` asks: the store answers, the key signs, the keys of a provider are at hand or can be had.
package enum ReadinessChecks {
    package static func all(
        store: any StoreHealth & StoreWatch, corridor: Corridor, time: TimeSource
    ) -> [Readiness.Check] {
        [
            { await Self.store(store) },
            { await clock(time, store) },
            { await signer { () async throws(MintingError) in try await corridor.checkSigner() } },
            {
                await alternatives(
                    corridor.providers.values.map { provider in
                        (
                            name: provider.openIDConnect == nil ? "\(provider.id)" : "keys of \(provider.id)",
                            works: { await isUsable(provider) }
                        )
                    })
            },
        ]
    }

    static func store(_ store: any StoreHealth) async -> Readiness.Findings {
        do {
            try await store.check()
            return .none
        } catch .unavailable(.overloaded) {
            return .busy("store")
        } catch {
            return .failing("store")
        }
    }

    /// The clock is not behind what the store has recorded, and the store is set up as it should be.
    static func clock(_ time: TimeSource, _ store: any StoreWatch) async -> Readiness.Findings {
        do {
            guard try await !store.watchReading().isBehind(time.now()) else { return .failing("clock_behind") }
            return Readiness.Findings(warnings: try await store.warnings().map(\.rawValue))
        } catch {
            // The other check says so, under the store's name.
            return .none
        }
    }

    static func signer(
        _ check: () async throws(MintingError) -> Void
    ) async -> Readiness.Findings {
        do {
            try await check()
            return .none
        } catch .signing(.overloaded) {
            return .busy("signer")
        } catch {
            return .failing("signer")
        }
    }

    /// Parts of which one is enough: those that do not work are warnings, unless none of them works.
    ///
    /// A server whose other providers work has to stay ready: one provider must not take all the others down.
    static func alternatives(
        _ parts: [(name: String, works: @Sendable () async -> Bool)]
    ) async -> Readiness.Findings {
        await withTaskGroup(of: String?.self) { group in
            for part in parts {
                group.addTask { await part.works() ? nil : part.name }
            }
            var unusable: [String] = []
            for await name in group {
                if let name { unusable.append(name) }
            }
            return unusable.count < parts.count
                ? Readiness.Findings(warnings: unusable) : Readiness.Findings(failing: unusable)
        }
    }

    private static func isUsable(_ provider: Provider) async -> Bool {
        guard let openIDConnect = provider.openIDConnect else { return true }
        return (try? await openIDConnect.keys.value()) != nil
    }
}

/// A value that is made at most once in its lifetime, and by one task at a time, however many callers ask for it.
///
/// `/readyz` and `/metrics` need no authentication: without this, each call would cost a commit and a signature.
actor RecentValue<Value: Sendable> {
    private let lifetime: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let make: @Sendable () async -> Value

    private var latest: (value: Value, madeAt: ContinuousClock.Instant)?
    private var flight: Task<Value, Never>?

    /// - Parameters:
    ///   - lifetime: Counted from when ``make`` began, since the value may be as old as that.
    ///   - now: A clock that is never set.
    ///   - make: Called by a task of its own, which goes on if the caller is cancelled.
    init(
        lifetime: Duration = .seconds(1), now: @escaping @Sendable () -> ContinuousClock.Instant,
        make: @escaping @Sendable () async -> Value
    ) {
        self.lifetime = lifetime
        self.now = now
        self.make = make
    }

    func value() async -> Value {
        let began = now()
        if let latest, began < latest.madeAt + lifetime { return latest.value }
        let task = flight ?? Task { await self.renew(at: began) }
        flight = task
        return await task.value
    }

    private func renew(at began: ContinuousClock.Instant) async -> Value {
        let value = await make()
        latest = (value, began)
        flight = nil
        return value
    }
}
