internal import JOSE
internal import Standards
internal import Synchronization

/// A number of requests per period; they may arrive all at once.
package struct RateLimit: Sendable, Equatable {
    package let count: Int
    package let period: Duration

    package init(count: Int, period: Duration) {
        self.count = count
        self.period = period
    }
}

/// One token bucket per key, in bounded memory.
final class RateLimiter: Sendable {
    private let limit: RateLimit
    /// The setting, or what is limited, for the log.
    private let name: String
    private let time: TimeSource
    /// The maximum number of keys.
    ///
    /// Above it, full buckets are removed, which has no effect on their keys, and the oldest of the others until an eighth is
    /// free.
    private let capacity: Int
    private let buckets = Mutex<Buckets>(Buckets())

    private struct Buckets {
        var levels: [String: (level: Int64, at: NumericDate)] = [:]
    }
    // Integers avoid rounding errors: each second adds `income` to a level, each request costs `price`.
    private var income: Int64 { Int64(max(limit.count, 1)) }
    private var price: Int64 { max(limit.period.components.seconds, 1) }
    private var full: Int64 { income * price }

    init(_ limit: RateLimit, named name: String, time: TimeSource, capacity: Int = 65536) {
        self.limit = limit
        self.name = name
        self.time = time
        self.capacity = capacity
    }

    /// Takes one token.
    ///
    /// - Throws: ``Refusal/rateLimited(retryAfter:)`` with the seconds until the next token.
    func take(_ address: String) throws(Refusal) {
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
        // Rounded up, so that a retry after that time succeeds.
        if let missing {
            throw .rateLimited(retryAfter: (missing + income - 1) / income).with(finding: "\(name) is used up")
        }
    }

    /// Returns the token that ``take(_:)`` took.
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
        // Looking through 65536 buckets takes about 50 ms, in which every other request waits. If only a few became free, clients
        // with enough addresses could cause it with each request.
        let surplus = buckets.levels.count - (capacity - max(1, capacity / 8))
        guard surplus > 0 else { return }
        let oldest = buckets.levels.sorted { $0.value.at < $1.value.at }.prefix(surplus)
        for (address, _) in oldest {
            buckets.levels[address] = nil
        }
    }
}

/// Counts a request against its network and against the site that contains the network.
///
/// A /48 contains 65536 networks of 64 bits. Without a limit per site, its owner would have 65536 budgets.
struct NetworkRateLimiter: Sendable {
    /// The budget of a /48 as a multiple of the budget of a /64.
    static let networksOfSite = 16

    private let networks: RateLimiter
    private let sites: RateLimiter

    init(_ limit: RateLimit, named name: String, time: TimeSource) {
        networks = RateLimiter(limit, named: name, time: time)
        sites = RateLimiter(
            RateLimit(count: limit.count * Self.networksOfSite, period: limit.period), named: "\(name) of a /48",
            time: time)
    }

    /// Takes one token of the network and one of the site.
    ///
    /// - Throws: ``Refusal/rateLimited(retryAfter:)`` if one of the two is missing; neither is taken then.
    func take(_ client: ClientNetwork) throws(Refusal) {
        do throws(Refusal) {
            try takeBoth(client)
        } catch {
            guard let shown = client.shown else { throw error }
            throw Refusal(
                error.reason, error.description, finding: error.finding.map { "\($0) by \(shown)" }, error.detail,
                isUnspent: error.isUnspent, cause: UsedUpLimit.ofSharedAddress)
        }
    }

    private func takeBoth(_ client: ClientNetwork) throws(Refusal) {
        try networks.take(client.name)
        guard let site = client.site else { return }
        do throws(Refusal) {
            try sites.take(site)
        } catch {
            networks.refund(client.name)
            throw error
        }
    }

    /// Returns the tokens that ``take(_:)`` took.
    func refund(_ client: ClientNetwork) {
        networks.refund(client.name)
        if let site = client.site { sites.refund(site) }
    }
}

/// A limit of an address that can be that of many people.
private enum UsedUpLimit: AdvisingCause {
    /// The address is private or not known.
    case ofSharedAddress

    var advice: String? {
        "If people arrive with this address, they share its limit, because a proxy, or a gateway that translates addresses (source "
            + "NAT), hides theirs: let each proxy append the address of its client to X-Forwarded-For, add the proxies to "
            + "server.trusted_proxies, and let the first one see the address of its connection (externalTrafficPolicy: Local in "
            + "Kubernetes). If only one program has this address, let it send fewer requests, or raise the limit that the "
            + "finding names."
    }
}

/// The rate limiters of the public listener; `nil` disables a limit.
struct Rates: Sendable {
    /// Requests that finish a sign-in or manage an account, per network.
    let exchanges: NetworkRateLimiter?
    /// Refreshed tokens of providers, per account: each request calls a provider.
    let refreshes: RateLimiter?
    /// Requests that begin a sign-in, per network.
    let starts: NetworkRateLimiter?
    /// Requests for the other pages, for provider callbacks and for documents, per network.
    let pages: NetworkRateLimiter?
    /// New anonymous accounts, per network.
    let anonymous: NetworkRateLimiter?
    /// Refusals in the audit trail, per network: a client could otherwise fill the trail with refused requests.
    let auditedRefusals: NetworkRateLimiter?
    /// Messages of providers whose signature is not valid, per network.
    ///
    /// Other messages are not counted, because a provider sends the logouts for all of its customers from a few addresses.
    let refusedEvents: NetworkRateLimiter?
    /// Wrong user codes, per network (RFC 8628 §5.1).
    let userCodes: NetworkRateLimiter
    /// Wrong user codes of all networks together, because an attacker may have many addresses.
    let allUserCodes: RateLimiter

    init(_ limits: ServerLimits, time: TimeSource) {
        func limiter(_ limit: RateLimit?, _ name: String) -> NetworkRateLimiter? {
            limit.map { NetworkRateLimiter($0, named: name, time: time) }
        }
        exchanges = limiter(limits.exchangesPerAddress, "limits.exchange_per_address")
        refreshes = limits.exchangesPerAddress.map {
            RateLimiter($0, named: "limits.exchange_per_address for the provider tokens of one account", time: time)
        }
        starts = limiter(limits.startsPerAddress, "limits.start_per_address")
        pages = limiter(limits.pagesPerAddress, "limits.page_per_address")
        anonymous = limiter(limits.anonymousPerAddress, "limits.anonymous_per_address")
        auditedRefusals = limiter(limits.exchangesPerAddress, "limits.exchange_per_address")
        refusedEvents = limiter(limits.exchangesPerAddress, "limits.exchange_per_address")
        let lifetime = Duration.seconds(600)
        userCodes = NetworkRateLimiter(
            RateLimit(count: limits.deviceCodeTries, period: lifetime), named: "limits.device_code_tries", time: time)
        allUserCodes = RateLimiter(
            RateLimit(count: limits.deviceCodeTriesOfAll, period: lifetime),
            named: "the limit of \(limits.deviceCodeTriesOfAll) wrong user codes of all addresses in ten minutes",
            time: time)
    }
}
