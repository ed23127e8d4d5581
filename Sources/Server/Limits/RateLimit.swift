/// So many in a period, all at once or spread over it.
package struct RateLimit: Sendable, Equatable {
    package let count: Int
    package let period: Duration

    package init(count: Int, period: Duration) {
        self.count = count
        self.period = period
    }
}
