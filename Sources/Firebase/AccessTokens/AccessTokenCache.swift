internal import JOSE
internal import Standards

/// One access token for all callers, which is replaced before it expires.
///
/// The first call within 225 seconds before the expiry starts to fetch a new token. Callers still get the old one until
/// the new one arrives. Google's metadata server does not issue a new token earlier.
actor AccessTokenCache {
    typealias Fetch = @Sendable () async throws(AccessTokenError) -> IssuedAccessToken

    private struct Token {
        let secret: Secret
        let refreshAt: NumericDate
        let usableUntil: NumericDate
    }

    /// The minimum time from the end of a fetch to the next one, unless the fetched token has already expired.
    private static let cooldown = Duration.seconds(5)
    /// The age at which callers no longer wait for a fetch.
    ///
    /// A platform may stop the process between two requests, in the middle of a fetch, whose connection is then gone.
    private static let patience = Duration.seconds(30)

    private struct Fetching {
        let number: Int
        let startedAt: NumericDate
        let task: Task<Result<Secret, AccessTokenError>, Never>
    }

    private let fetch: Fetch
    private let time: TimeSource

    private var current: Token?
    private var fetching: Fetching?
    private var fetches = 0
    private var lastFailure: AccessTokenError?
    private var nextAttemptAt: NumericDate?

    init(time: TimeSource, fetch: @escaping Fetch) {
        self.time = time
        self.fetch = fetch
    }

    deinit { fetching?.task.cancel() }

    /// Returns the token, and fetches it if there is none.
    ///
    /// Waiting callers share one fetch, which continues if one of them is cancelled.
    ///
    /// - Parameter refused: A token that Google has just refused, so that it is not returned again.
    /// - Throws: The error of the last fetch, or ``AccessTokenError/noOther`` if only the refused token is available.
    func token(refused: Secret?) async throws(AccessTokenError) -> Secret {
        let now = time.now()
        if let current, now < current.usableUntil, refused?.matches(current.secret) != true {
            if now >= current.refreshAt, underWay(at: now) == nil, mayFetch(at: now) { startFetch() }
            return current.secret
        }
        guard let fetching = underWay(at: now) ?? (mayFetch(at: now) ? startFetch() : nil)
        else { throw lastFailure ?? .noOther }
        let secret = try await fetching.task.value.get()
        // The metadata server caches its token too, and does not learn of refusals.
        guard refused?.matches(secret) != true else { throw .noOther }
        return secret
    }

    private func underWay(at now: NumericDate) -> Fetching? {
        fetching.flatMap { now < $0.startedAt + Self.patience ? $0 : nil }
    }

    private func mayFetch(at now: NumericDate) -> Bool {
        guard let nextAttemptAt, now < nextAttemptAt else { return true }
        guard lastFailure == nil, let current else { return false }
        return now >= current.usableUntil
    }

    @discardableResult
    private func startFetch() -> Fetching {
        fetches += 1
        let number = fetches
        // The task is unstructured because all callers share it. It does not retain the actor.
        let task = Task { [weak self, fetch, time] () -> Result<Secret, AccessTokenError> in
            // The lifetime counts from the request on, so that a slow response does not extend it.
            let startedAt = time.now()
            let result: Result<IssuedAccessToken, AccessTokenError>
            do throws(AccessTokenError) {
                result = .success(try await fetch())
            } catch {
                result = .failure(error)
            }
            await self?.finish(number, result, startedAt: startedAt)
            return result.map(\.secret)
        }
        let fetching = Fetching(number: number, startedAt: time.now(), task: task)
        self.fetching = fetching
        return fetching
    }

    private func finish(
        _ number: Int, _ result: Result<IssuedAccessToken, AccessTokenError>, startedAt: NumericDate
    ) {
        // The result of a fetch that was given up must not replace that of a newer one.
        guard fetching?.number == number else { return }
        fetching = nil
        nextAttemptAt = time.now() + Self.cooldown
        switch result {
        case .success(let issued):
            let expiry = startedAt + issued.lifetime
            current = Token(
                secret: issued.secret, refreshAt: expiry - .seconds(225),
                usableUntil: expiry - min(.seconds(10), issued.lifetime / 10))
            lastFailure = nil
        case .failure(let error):
            lastFailure = error
        }
    }
}
