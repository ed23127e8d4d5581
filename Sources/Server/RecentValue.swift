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
