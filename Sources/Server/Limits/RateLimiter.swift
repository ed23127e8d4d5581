internal import JOSE
internal import Synchronization

/// A token bucket for each address, in bounded memory.
final class RateLimiter: Sendable {
    private let limit: RateLimit
    private let time: TimeSource
    private let capacity: Int
    private let buckets = Mutex<Buckets>(Buckets())

    private struct Buckets {
        var levels: [String: (tokens: Double, at: NumericDate)] = [:]
    }

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
        let perSecond = Double(limit.count) / Double(max(limit.period.components.seconds, 1))
        let missing: Double? = buckets.withLock { buckets in
            let known = buckets.levels[address] ?? (Double(limit.count), now)
            let elapsed = Double(max(0, now.seconds - known.at.seconds))
            let tokens = min(Double(limit.count), known.tokens + elapsed * perSecond)
            guard tokens >= 1 else {
                buckets.levels[address] = (tokens, now)
                return 1 - tokens
            }
            if buckets.levels.count >= capacity, buckets.levels[address] == nil {
                makeRoom(&buckets, now: now, perSecond: perSecond)
            }
            buckets.levels[address] = (tokens - 1, now)
            return nil
        }
        if let missing {
            throw .rateLimited(retryAfter: max(1, Int64((missing / perSecond).rounded(.up))))
        }
    }

    private func makeRoom(_ buckets: inout Buckets, now: NumericDate, perSecond: Double) {
        buckets.levels = buckets.levels.filter { _, level in
            level.tokens + Double(max(0, now.seconds - level.at.seconds)) * perSecond < Double(limit.count)
        }
        guard buckets.levels.count >= capacity else { return }
        let oldest = buckets.levels.sorted { $0.value.at < $1.value.at }.prefix(capacity / 8)
        for (address, _) in oldest {
            buckets.levels[address] = nil
        }
    }
}
