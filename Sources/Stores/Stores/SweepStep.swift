package import JOSE

/// How far one sweep may go.
package enum SweepStep {
    /// A clock that is ahead by less than this does no harm: what expired later is kept.
    private static let delay = Duration.seconds(3600)
    /// A clock that jumps ahead for a minute makes the store forget no more than the records of this time.
    private static let limit = Duration.seconds(3600)

    /// - Parameters:
    ///   - now: the caller's clock.
    ///   - reading: what the store says about clocks.
    /// - Returns: until when expired records are forgotten; nil if none may be, since a clock is wrong.
    package static func end(at now: NumericDate, _ reading: WatchReading) -> NumericDate? {
        guard !reading.isClockOff(from: now), !reading.isBehind(now) else { return nil }
        return min(now - delay, reading.sweptThrough + limit)
    }
}
