internal import JOSE

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
