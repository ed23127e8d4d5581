package import JOSE
internal import Synchronization

/// Compares the wall clock with one that is never set, between two renewals by one process.
///
/// A machine that is slow, or a process that was stopped, sees both advance. After a virtual machine was put back to an
/// earlier state, or after the clock was set, only the wall clock does.
package final class WatchClock: Sendable {
    private let last = Mutex<(steady: ContinuousClock.Instant, wall: NumericDate)?>(nil)

    package init() {}

    /// Remembers a renewal, and returns whether both clocks advanced alike since the one before.
    ///
    /// - Parameter now: the wall clock.
    /// - Returns: false at the first renewal.
    package func renew(at now: NumericDate) -> Bool {
        let steady = ContinuousClock.now
        return last.withLock { last in
            defer { last = (steady, now) }
            guard let last else { return false }
            let passed = last.steady.duration(to: steady)
            return now < last.wall + passed + UnwatchedTime.recordTolerance
        }
    }
}
