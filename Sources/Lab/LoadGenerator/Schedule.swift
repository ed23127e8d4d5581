internal import Glibc

/// The moments at which the requests of an open loop are due, however late the answers come.
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
    ///   - rate: requests a second; greater than 0.
    ///   - spacing: how the intervals vary.
    ///   - seed: the same seed gives the same moments, so that two servers are loaded alike.
    package init(rate: Double, spacing: Spacing, seed: UInt64) {
        precondition(rate > 0, "An open loop needs a rate.")
        interval = 1e9 / rate
        self.spacing = spacing
        random = SplitMix64(state: seed)
    }

    /// The nanoseconds from the beginning to the next request.
    package mutating func next() -> Int64 {
        switch spacing {
        case .even: latest += interval
        case .poisson: latest -= interval * log(1 - Double.random(in: 0..<1, using: &random))
        }
        return Int64(latest)
    }
}

/// A generator whose numbers depend on its seed only (Steele, Lea and Flood, OOPSLA 2014).
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
