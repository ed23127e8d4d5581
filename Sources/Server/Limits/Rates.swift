internal import JOSE

/// How often an address may ask for what.
struct Rates: Sendable {
    /// Whatever ends a sign-in or concerns an account.
    let exchanges: RateLimiter?
    /// Whatever begins one.
    let starts: RateLimiter?
    /// New anonymous accounts.
    let anonymous: RateLimiter?
    /// Refusals that the audit tells of: some doors refuse without end.
    let auditedRefusals: RateLimiter?
    /// Wrong user codes of one address (RFC 8628 §5.1).
    let userCodes: RateLimiter
    /// Wrong user codes of all addresses together: whoever guesses has many.
    let allUserCodes: RateLimiter

    init(_ limits: ServerLimits, time: TimeSource) {
        exchanges = limits.exchangesPerAddress.map { RateLimiter($0, time: time) }
        starts = limits.startsPerAddress.map { RateLimiter($0, time: time) }
        anonymous = limits.anonymousPerAddress.map { RateLimiter($0, time: time) }
        auditedRefusals = limits.exchangesPerAddress.map { RateLimiter($0, time: time) }
        let lifetime = Duration.seconds(600)
        userCodes = RateLimiter(RateLimit(count: limits.deviceCodeTries, period: lifetime), time: time)
        allUserCodes = RateLimiter(RateLimit(count: limits.deviceCodeTriesOfAll, period: lifetime), time: time)
    }
}
