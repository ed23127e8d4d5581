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
