internal import JOSE
internal import Synchronization

/// So many in a period, all at once or spread over it.
package struct RateLimit: Sendable, Equatable {
    package let count: Int
    package let period: Duration

    package init(count: Int, period: Duration) {
        self.count = count
        self.period = period
    }
}

/// A token bucket for each key, in bounded memory.
final class RateLimiter: Sendable {
    private let limit: RateLimit
    private let time: TimeSource
    private let capacity: Int
    private let buckets = Mutex<Buckets>(Buckets())

    private struct Buckets {
        var levels: [String: (level: Int64, at: NumericDate)] = [:]
    }
    // Whole numbers, so that nothing is lost by counting often: a second brings `income`, a token costs `price`.
    private var income: Int64 { Int64(max(limit.count, 1)) }
    private var price: Int64 { max(limit.period.components.seconds, 1) }
    private var full: Int64 { income * price }

    /// - `capacity`: how many addresses are remembered.
    ///
    /// Beyond it those whose bucket is full again are forgotten, which changes nothing for them; if there are none, the
    /// oldest are.
    init(_ limit: RateLimit, time: TimeSource, capacity: Int = 65536) {
        self.limit = limit
        self.time = time
        self.capacity = capacity
    }

    /// Takes one token.
    ///
    /// - Throws: ``RequestError/rateLimited(retryAfter:)`` with the seconds until there is one.
    func admit(_ address: String) throws(RequestError) {
        let now = time.now()
        let missing: Int64? = buckets.withLock { buckets in
            let level = buckets.levels[address].map { refilled($0, at: now) } ?? full
            guard level >= price else {
                buckets.levels[address] = (level, now)
                return price - level
            }
            if buckets.levels.count >= capacity, buckets.levels[address] == nil {
                makeRoom(&buckets, now: now)
            }
            buckets.levels[address] = (level - price, now)
            return nil
        }
        // Rounded up: who waits so long finds a token.
        if let missing {
            throw .rateLimited(retryAfter: (missing + income - 1) / income)
        }
    }

    /// Puts a token back that ``admit(_:)`` took.
    func refund(_ address: String) {
        let now = time.now()
        buckets.withLock { buckets in
            guard let bucket = buckets.levels[address] else { return }
            buckets.levels[address] = (min(full, refilled(bucket, at: now) + price), now)
        }
    }

    private func refilled(_ bucket: (level: Int64, at: NumericDate), at now: NumericDate) -> Int64 {
        let elapsed = min(max(0, now.seconds - bucket.at.seconds), price)
        return min(full, bucket.level + elapsed * income)
    }

    private func makeRoom(_ buckets: inout Buckets, now: NumericDate) {
        buckets.levels = buckets.levels.filter { refilled($0.value, at: now) < full }
        guard buckets.levels.count >= capacity else { return }
        let oldest = buckets.levels.sorted { $0.value.at < $1.value.at }.prefix(capacity / 8)
        for (address, _) in oldest {
            buckets.levels[address] = nil
        }
    }
}

/// Counts a request against its network, and against the site around that network.
///
/// A client that has a /48 has 65536 networks of 64 bits: without the site it would have as many budgets.
struct NetworkRateLimiter: Sendable {
    /// The budget of a /48 is that of so many /64.
    static let networksOfSite = 16

    private let networks: RateLimiter
    private let sites: RateLimiter

    init(_ limit: RateLimit, time: TimeSource) {
        networks = RateLimiter(limit, time: time)
        sites = RateLimiter(RateLimit(count: limit.count * Self.networksOfSite, period: limit.period), time: time)
    }

    /// Takes one token of each.
    ///
    /// - Throws: ``RequestError/rateLimited(retryAfter:)`` and takes nothing if one of the two has none.
    func admit(_ client: ClientNetwork) throws(RequestError) {
        try networks.admit(client.name)
        guard let site = client.site else { return }
        do throws(RequestError) {
            try sites.admit(site)
        } catch {
            networks.refund(client.name)
            throw error
        }
    }

    /// Puts back what ``admit(_:)`` took.
    func refund(_ client: ClientNetwork) {
        networks.refund(client.name)
        if let site = client.site { sites.refund(site) }
    }
}

/// How often an address may ask for what.
struct Rates: Sendable {
    /// Requests that end a sign-in or concern an account.
    let exchanges: NetworkRateLimiter?
    /// Requests that begin one.
    let starts: NetworkRateLimiter?
    /// Pages that neither begin nor end one, returns from a provider, and documents.
    let pages: NetworkRateLimiter?
    /// New anonymous accounts.
    let anonymous: NetworkRateLimiter?
    /// Refusals that the audit tells of: some doors refuse without end.
    let auditedRefusals: NetworkRateLimiter?
    /// Wrong user codes of one address (RFC 8628 §5.1).
    let userCodes: NetworkRateLimiter
    /// Wrong user codes of all addresses together: a guesser may have many addresses.
    let allUserCodes: RateLimiter

    init(_ limits: ServerLimits, time: TimeSource) {
        exchanges = limits.exchangesPerAddress.map { NetworkRateLimiter($0, time: time) }
        starts = limits.startsPerAddress.map { NetworkRateLimiter($0, time: time) }
        pages = limits.pagesPerAddress.map { NetworkRateLimiter($0, time: time) }
        anonymous = limits.anonymousPerAddress.map { NetworkRateLimiter($0, time: time) }
        auditedRefusals = limits.exchangesPerAddress.map { NetworkRateLimiter($0, time: time) }
        let lifetime = Duration.seconds(600)
        userCodes = NetworkRateLimiter(RateLimit(count: limits.deviceCodeTries, period: lifetime), time: time)
        allUserCodes = RateLimiter(RateLimit(count: limits.deviceCodeTriesOfAll, period: lifetime), time: time)
    }
}
