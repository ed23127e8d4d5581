package import Flows
package import JOSE
internal import Minting
internal import Providers
internal import Standards
package import Stores

/// The checks of `/readyz`: whether sign-ins can succeed.
package struct Readiness: Sendable {
    /// Checks one component in bounded time.
    package typealias Check = @Sendable () async -> Findings

    /// The result of a check; empty if everything works.
    package struct Findings: Sendable, Equatable {
        /// The names of failures such as `store` or `clock_behind`: with any of them no sign-in can succeed.
        package var failing: [String] = []
        /// Problems that the operator should fix while sign-ins still succeed, such as `keys of yahoo.com`.
        package var warnings: [String] = []

        package static let none = Self()

        /// - Parameter cause: A warning that says why: without a request, the log has no line of it.
        package static func failing(_ part: String, because cause: String? = nil) -> Self {
            Self(failing: [part], warnings: cause.map { [$0] } ?? [])
        }

        package static func warning(_ text: String) -> Self { Self(warnings: [text]) }

        /// A warning that the queue of a component is full.
        ///
        /// A full queue is not a failure: the load balancer would move the load to the other processes, whose queues
        /// are full as well.
        package static func busy(_ part: String) -> Self { .warning("\(part) is busy") }
    }

    private let recent: RecentValue<Findings>

    /// Creates the checks.
    ///
    /// - Parameter checks: Returns the checks; called for each round, because a reload changes the providers.
    package init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        checks: @escaping @Sendable () -> [Check]
    ) {
        recent = RecentValue(now: now) { await Self.round(checks()) }
    }

    /// Returns the findings of all checks in alphabetical order, at most one second old if the checks are
    /// fast.
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

/// The checks of a server: the store responds, the clock is right, the key signs, and the keys of a provider are
/// available.
package enum ReadinessChecks {
    /// - Parameters:
    ///   - flows: The signer and the providers.
    ///   - warnings: Returns further problems of the server that do not stop sign-ins.
    package static func all(
        store: any StoreHealth & StoreWatch, flows: FlowSet, time: TimeSource,
        warnings: @escaping @Sendable () -> [String]
    ) -> [Readiness.Check] {
        [
            { Readiness.Findings(warnings: warnings()) },
            { await Self.store(store) },
            { await clock(time, store) },
            { await signer { () async throws(MintingError) in try await flows.checkSigner() } },
            {
                await alternatives(
                    flows.providers.values.map { provider in
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
        } catch .unavailable(.overloaded, _) {
            return .busy("store")
        } catch {
            return .failing("store", because: error.refusal.finding ?? error.code)
        }
    }

    /// Checks that the clock is not behind the times in the store, and that the store is set up correctly.
    static func clock(_ time: TimeSource, _ store: any StoreWatch) async -> Readiness.Findings {
        do {
            let (reading, now) = (try await store.watchReading(), time.now())
            guard !reading.isBehind(now) else {
                return Readiness.Findings(failing: ["clock_behind"], warnings: [reading.remedy(at: now)])
            }
            guard !reading.isFarBehind(now) else {
                return Readiness.Findings(
                    failing: ["clock_behind"],
                    warnings: ["the clock jumped ahead by more than a day: correct it, or wait a minute if it is right"]
                )
            }
            return Readiness.Findings(warnings: try await store.warnings().map(\.rawValue))
        } catch {
            // The check of the store reports the failure.
            return .none
        }
    }

    static func signer(
        _ check: () async throws(MintingError) -> Void
    ) async -> Readiness.Findings {
        do {
            try await check()
            return .none
        } catch .overloaded {
            return .busy("signer")
        } catch .process(.otherKey) {
            return Readiness.Findings(
                failing: ["signer"],
                warnings: [
                    "another key than before answers at firebase.signer_socket: reload if the key of the signer was replaced"
                ])
        } catch {
            return .failing("signer", because: "signer: \(error.sentence)")
        }
    }

    /// Checks components of which one is enough: a failure is a warning unless all of them fail.
    ///
    /// The outage of one provider must not make the server unavailable for the others.
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

/// A cached value that is computed at most once per lifetime, by one task at a time.
///
/// `/readyz` and `/metrics` need no authentication. Without the cache, each request would cost a commit and a
/// signature.
actor RecentValue<Value: Sendable> {
    private let now: @Sendable () -> ContinuousClock.Instant
    private let make: @Sendable () async -> Value

    private var latest: (value: Value, madeAt: ContinuousClock.Instant)?
    private var flight: Task<Value, Never>?

    /// Creates the cache.
    ///
    /// - Parameter make: Computes the value in its own task, which continues if the caller is cancelled.
    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant, make: @escaping @Sendable () async -> Value
    ) {
        self.now = now
        self.make = make
    }

    /// Returns the value, which is at most one second old, counted from the start of `make`.
    func value() async -> Value {
        let began = now()
        if let latest, began < latest.madeAt + .seconds(1) { return latest.value }
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
