internal import JOSE
internal import Synchronization

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
