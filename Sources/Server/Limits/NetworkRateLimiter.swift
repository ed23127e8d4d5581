internal import JOSE

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
