package import JOSE
package import Transport

/// A JSON document of a peer, such as its metadata or its key set, which is fetched once for all callers and cached.
///
/// In the last fifth of its lifetime, the document is fetched again in the background, and callers get the cached one.
/// If the fetch fails, the cached document stays in use up to ``DocumentPolicy/staleLimit``. A response that does not
/// parse never replaces a good document.
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
        let call: LastCall
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

    /// Why the last attempt failed; `nil` if it succeeded.
    package private(set) var lastFailure: DocumentError?

    /// The call of the attempt that failed last.
    private var lastFailedCall = LastCall()

    /// The time until which the cached document is used if no newer one can be fetched; `nil` if there is none.
    package var usableUntil: NumericDate? { good?.usableUntil }

    /// Makes the cache.
    ///
    /// Nothing is fetched before the first call of ``value()``.
    ///
    /// - Parameters:
    ///   - location: Returns the URL. It is called for each fetch, because another document may contain the URL.
    ///   - policy: Lifetimes, limits, and the times between attempts.
    ///   - onFailure: Called after each failed attempt, within ``LastCall/current``. The policy limits the rate of attempts.
    ///   - refusal: The error of a status other than 200.
    ///   - parse: Parses the body. Each error that it throws, and that is no ``DocumentError``, is reported as
    ///     ``DocumentError/malformed``.
    package init(
        at location: @escaping @Sendable () async throws(DocumentError) -> String,
        transport: HTTPTransport, time: TimeSource, policy: DocumentPolicy = DocumentPolicy(),
        onFailure: @escaping @Sendable (DocumentError) -> Void = { _ in },
        refusal: @escaping @Sendable (Int) -> DocumentError = DocumentError.status,
        parse: @escaping @Sendable ([UInt8]) throws -> Value
    ) {
        fetch = Fetch(location: location, transport: transport, policy: policy, refusal: refusal, parse: parse)
        self.time = time
        self.policy = policy
        self.onFailure = onFailure
    }

    /// Makes the cache of a document whose URL never changes.
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

    /// Returns the cached document if it is fresh, and fetches it otherwise.
    ///
    /// Callers that wait share one fetch, which continues if one of them is cancelled.
    ///
    /// - Throws: The error of the last attempt, if no cached document may be used.
    package func value() async throws(DocumentError) -> Value {
        let now = time.now()
        if let good, now < good.freshUntil {
            if now >= good.refreshAt, mayFetch(at: now) { takeOff(at: now) }
            return good.value
        }
        if let good, now < good.usableUntil, lastFailure != nil {
            // The last attempt failed. Callers get the cached document at once and do not wait for the next attempt.
            if mayFetch(at: now) { takeOff(at: now) }
            return good.value
        }
        guard let flight = currentFlight(at: now) ?? (mayFetch(at: now) ? takeOff(at: now) : nil) else {
            throw noting(lastFailedCall, lastFailure ?? .malformed)
        }
        switch await flight.task.value {
        case .success(let value):
            return value
        case .failure(let error):
            guard let good, now < good.usableUntil else { throw noting(flight.call, error) }
            return good.value
        }
    }

    /// Returns the document, and fetches it again if it does not have what the caller needs, such as a certain key.
    ///
    /// Such extra fetches are at least ``DocumentPolicy/cooldown`` apart, and after a failure
    /// ``DocumentPolicy/pause(after:failures:)``. Within that time the cached document is returned, even if it does not satisfy
    /// the condition.
    ///
    /// - Parameter condition: `true` if the document has what the caller needs.
    /// - Returns: The document, which need not satisfy the condition.
    /// - Throws: The error of the last attempt: the document that could not be fetched may have what the caller needs.
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
            throw noting(lastFailedCall, lastFailure)
        } else {
            return current
        }
        do {
            return try await shared.task.value.get()
        } catch {
            throw noting(shared.call, error)
        }
    }

    /// Lets the next call fetch the document, which stays in use if that fails, up to ``DocumentPolicy/staleLimit``.
    ///
    /// A fetch in progress may have been answered before this call, so that its document is not kept.
    package func expire() {
        lastLanding = lastTakeOff
        flight = nil
        // An earlier failure lets callers have the document without waiting.
        lastFailure = nil
        nextAttemptAt = nil
        guard let old = good else { return }
        let now = time.now()
        good = Good(
            value: old.value, refreshAt: now, freshUntil: now,
            usableUntil: min(old.usableUntil, now + policy.staleLimit))
    }

    /// Notes the call that failed as the last one of the caller, who may not have made it.
    private func noting(_ call: LastCall, _ error: DocumentError) -> DocumentError {
        LastCall.current?.adopt(call)
        return error
    }

    private func mayFetch(at now: NumericDate) -> Bool {
        currentFlight(at: now) == nil && nextAttemptAt.map { $0 <= now } ?? true
    }

    /// The fetch in progress; `nil` if there is none, or if it has taken longer than twice its timeout.
    private func currentFlight(at now: NumericDate) -> Flight? {
        guard let flight, now < flight.startedAt + policy.timeout + policy.timeout else { return nil }
        return flight
    }

    @discardableResult
    private func takeOff(at now: NumericDate) -> Flight {
        lastTakeOff += 1
        let number = lastTakeOff
        let call = LastCall()
        // The task is unstructured because it serves all callers. It holds the actor weakly, so that it keeps no unused
        // cache alive.
        let task = Task { [weak self, fetch] () -> Result<Value, DocumentError> in
            await LastCall.$current.withValue(call) {
                let result: Result<Fetch<Value>.Product, DocumentError>
                do throws(DocumentError) {
                    result = .success(try await fetch())
                } catch {
                    result = .failure(error)
                }
                await self?.land(number, startedAt: now, call, result)
                return result.map(\.value)
            }
        }
        let flight = Flight(number: number, startedAt: now, call: call, task: task)
        self.flight = flight
        return flight
    }

    private func land(
        _ number: Int, startedAt: NumericDate, _ call: LastCall, _ result: Result<Fetch<Value>.Product, DocumentError>
    ) {
        // A late response must not replace the document of a newer fetch.
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
            lastFailedCall = call
            nextAttemptAt = startedAt + policy.pause(after: error, failures: failures)
            // The pause decides: a server error often ends before the cool-down.
            nextUnplannedAt = nil
            onFailure(error)
        }
    }
}
