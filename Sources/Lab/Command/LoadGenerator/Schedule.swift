internal import Glibc

/// The times at which the requests of an open loop are due.
///
/// They do not depend on the responses.
package struct Schedule: Sendable {
    package enum Spacing: String, Sendable, CaseIterable {
        /// One request after each interval.
        case even
        /// Exponential intervals: many independent clients.
        case poisson
    }

    private let interval: Double
    private let spacing: Spacing
    private var random: SplitMix64
    private var latest = 0.0

    /// - Parameters:
    ///   - rate: Requests per second, greater than 0.
    ///   - seed: The seed of the random numbers. The same seed gives the same times, so that two servers get equal
    ///     load.
    package init(rate: Double, spacing: Spacing, seed: UInt64) {
        precondition(rate > 0, "An open loop needs a rate.")
        interval = 1e9 / rate
        self.spacing = spacing
        random = SplitMix64(state: seed)
    }

    /// Returns the time of the next request in nanoseconds since the beginning.
    package mutating func next() -> Int64 {
        switch spacing {
        case .even: latest += interval
        case .poisson: latest -= interval * log(1 - Double.random(in: 0..<1, using: &random))
        }
        return Int64(latest)
    }
}

/// A generator whose numbers depend only on its seed (Steele, Lea and Flood, OOPSLA 2014).
struct SplitMix64: RandomNumberGenerator, Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
