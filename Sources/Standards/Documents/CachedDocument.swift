package import JOSE
package import Transport

/// A peer's JSON document, such as its metadata or its key set: fetched once for all callers, and kept while it is good.
///
/// In the last fifth of its life the document is fetched anew while callers go on with the one at hand. When no newer one
/// can be had, the last good one serves on up to a limit; an answer that does not parse never takes its place.
package actor CachedDocument<Value: Sendable> {
    private struct Good {
        let value: Value
        let refreshAt: NumericDate
        let freshUntil: NumericDate
        let usableUntil: NumericDate
    }

    private struct Flight {
        let number: Int
        let startedAt: NumericDate
        let task: Task<Result<Value, DocumentError>, Never>
    }

    private let fetch: Fetch<Value>
    private let time: TimeSource
    private let policy: DocumentPolicy
    private let onFailure: @Sendable (DocumentError) -> Void

    private var good: Good?
    private var flight: Flight?
    private var lastTakeOff = 0
    private var lastLanding = 0
    private var failures = 0
    private var nextAttemptAt: NumericDate?
    private var nextUnplannedAt: NumericDate?

    /// Why the last attempt failed; nil since one succeeded.
    package private(set) var lastFailure: DocumentError?

    /// Until when the document at hand serves if no newer one can be had; nil while there has been none.
    package var usableUntil: NumericDate? { good?.usableUntil }

    /// Nothing is fetched before the first question.
    ///
    /// The location is asked for at each fetch, for a document that another one points to. `onFailure` is told of each
    /// failed attempt; attempts are seldom, so that a log of them needs no damping. Any error of `parse` becomes
    /// ``DocumentError/malformed``.
    package init(
        at location: @escaping @Sendable () async throws(DocumentError) -> String,
        transport: HTTPTransport, time: TimeSource, policy: DocumentPolicy = DocumentPolicy(),
        onFailure: @escaping @Sendable (DocumentError) -> Void = { _ in },
        parse: @escaping @Sendable ([UInt8]) throws -> Value
    ) {
        fetch = Fetch(location: location, transport: transport, policy: policy, parse: parse)
        self.time = time
        self.policy = policy
        self.onFailure = onFailure
    }

    /// The same for a document whose place is known.
    package init(
        at url: String, transport: HTTPTransport, time: TimeSource, policy: DocumentPolicy = DocumentPolicy(),
        onFailure: @escaping @Sendable (DocumentError) -> Void = { _ in },
        parse: @escaping @Sendable ([UInt8]) throws -> Value
    ) {
        self.init(
            at: { () async throws(DocumentError) in url }, transport: transport, time: time, policy: policy,
            onFailure: onFailure, parse: parse)
    }

    deinit { flight?.task.cancel() }

    /// The document, from memory where it is fresh.
    ///
    /// Callers that have to wait share one fetch; it goes on when one of them is cancelled.
    ///
    /// - Throws: why the last attempt failed, if there is no document to serve.
    package func value() async throws(DocumentError) -> Value {
        let now = time.now()
        if let good, now < good.freshUntil {
            if now >= good.refreshAt, mayFetch(at: now) { takeOff(at: now) }
            return good.value
        }
        if let good, now < good.usableUntil, lastFailure != nil {
            // The peer is in trouble; callers do not wait for it.
            if mayFetch(at: now) { takeOff(at: now) }
            return good.value
        }
        guard let flight = currentFlight(at: now) ?? (mayFetch(at: now) ? takeOff(at: now) : nil) else {
            throw lastFailure ?? .malformed
        }
        switch await flight.task.value {
        case .success(let value):
            return value
        case .failure(let error):
            guard let good, now < good.usableUntil else { throw error }
            return good.value
        }
    }

    /// The document, fetched anew unless it already has what the caller looks for, such as a key by its name.
    ///
    /// Such unplanned fetches are a cool-down apart, counted from the attempt, whatever came of it. So the answer need
    /// not satisfy the condition.
    ///
    /// - Throws: why the last attempt failed: what the caller looks for may be in a document that could not be had.
    package func refreshed(unless condition: @Sendable (Value) -> Bool) async throws(DocumentError) -> Value {
        let landingBefore = lastLanding
        let current = try await value()
        if condition(current) { return current }
        let now = time.now()
        let shared: Flight
        if let flight = currentFlight(at: now) {
            shared = flight
        } else if lastLanding == landingBefore, mayFetch(at: now), nextUnplannedAt.map({ $0 <= now }) ?? true {
            nextUnplannedAt = now + policy.cooldown
            shared = takeOff(at: now)
        } else if let lastFailure {
            throw lastFailure
        } else {
            return current
        }
        return try await shared.task.value.get()
    }

    private func mayFetch(at now: NumericDate) -> Bool {
        currentFlight(at: now) == nil && nextAttemptAt.map { $0 <= now } ?? true
    }

    /// The fetch under way.
    ///
    /// One that should have ended long ago is not waited for any more.
    private func currentFlight(at now: NumericDate) -> Flight? {
        guard let flight, now < flight.startedAt + policy.timeout + policy.timeout else { return nil }
        return flight
    }

    @discardableResult
    private func takeOff(at now: NumericDate) -> Flight {
        lastTakeOff += 1
        let number = lastTakeOff
        // Unstructured, because it belongs to all callers. The actor holds it, and it does not hold the actor.
        let task = Task { [weak self, fetch] () -> Result<Value, DocumentError> in
            let result: Result<Fetch<Value>.Product, DocumentError>
            do throws(DocumentError) {
                result = .success(try await fetch())
            } catch {
                result = .failure(error)
            }
            await self?.land(number, startedAt: now, result)
            return result.map(\.value)
        }
        let flight = Flight(number: number, startedAt: now, task: task)
        self.flight = flight
        return flight
    }

    private func land(_ number: Int, startedAt: NumericDate, _ result: Result<Fetch<Value>.Product, DocumentError>) {
        // A late answer never replaces a newer one.
        guard number > lastLanding else { return }
        lastLanding = number
        if flight?.number == number { flight = nil }
        switch result {
        case .success(let product):
            let freshUntil = startedAt + product.lifetime
            good = Good(
                value: product.value, refreshAt: startedAt + product.lifetime * 4 / 5, freshUntil: freshUntil,
                usableUntil: freshUntil + policy.staleLimit)
            failures = 0
            lastFailure = nil
            nextAttemptAt = nil
        case .failure(let error):
            failures += 1
            lastFailure = error
            nextAttemptAt = startedAt + policy.pause(after: error, failures: failures)
            onFailure(error)
        }
    }
}
