internal import JOSE
internal import OAuth

/// One access token for all callers, fetched anew before it expires.
///
/// From 225 seconds before its expiry on it is fetched anew while callers go on with the one at hand. Google's metadata
/// server has a new one from then on, and not before.
actor AccessTokenCache {
    typealias Fetch = @Sendable () async throws(AccessTokenError) -> IssuedAccessToken

    private struct Good {
        let secret: Secret
        let refreshAt: NumericDate
        let usableUntil: NumericDate
    }

    /// From one attempt to the next, unless there was success and the token has expired since.
    private static let cooldown = Duration.seconds(5)

    private let fetch: Fetch
    private let time: TimeSource

    private var good: Good?
    private var flight: Task<Result<Secret, AccessTokenError>, Never>?
    private var lastFailure: AccessTokenError?
    private var nextAttemptAt: NumericDate?

    init(time: TimeSource, fetch: @escaping Fetch) {
        self.time = time
        self.fetch = fetch
    }

    deinit { flight?.cancel() }

    /// Callers that have to wait share one fetch; it goes on when one of them is cancelled.
    func token(refused: Secret?) async throws(AccessTokenError) -> Secret {
        let now = time.now()
        if let good, now < good.usableUntil, refused?.matches(good.secret) != true {
            if now >= good.refreshAt, flight == nil, mayFetch(at: now) { takeOff() }
            return good.secret
        }
        guard let flight = flight ?? (mayFetch(at: now) ? takeOff() : nil) else { throw lastFailure ?? .noOther }
        let secret = try await flight.value.get()
        // The metadata server has a cache of its own, and knows nothing of refusals.
        guard refused?.matches(secret) != true else { throw .noOther }
        return secret
    }

    private func mayFetch(at now: NumericDate) -> Bool {
        guard let nextAttemptAt, now < nextAttemptAt else { return true }
        guard lastFailure == nil, let good else { return false }
        return now >= good.usableUntil
    }

    @discardableResult
    private func takeOff() -> Task<Result<Secret, AccessTokenError>, Never> {
        // Unstructured, because it belongs to all callers. The actor holds it, and it does not hold the actor.
        let task = Task { [weak self, fetch, time] () -> Result<Secret, AccessTokenError> in
            // Its lifetime runs from before the question, so that a slow answer makes it no longer.
            let startedAt = time.now()
            let result: Result<IssuedAccessToken, AccessTokenError>
            do throws(AccessTokenError) {
                result = .success(try await fetch())
            } catch {
                result = .failure(error)
            }
            await self?.land(result, startedAt: startedAt)
            return result.map(\.secret)
        }
        flight = task
        return task
    }

    private func land(_ result: Result<IssuedAccessToken, AccessTokenError>, startedAt: NumericDate) {
        flight = nil
        nextAttemptAt = time.now() + Self.cooldown
        switch result {
        case .success(let issued):
            let expiry = startedAt + issued.lifetime
            good = Good(
                secret: issued.secret, refreshAt: expiry - .seconds(225),
                usableUntil: expiry - min(.seconds(10), issued.lifetime / 10))
            lastFailure = nil
        case .failure(let error):
            lastFailure = error
        }
    }
}
