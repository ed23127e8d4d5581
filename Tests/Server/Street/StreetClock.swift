import JOSE
import Synchronization

/// The one clock of a street: server and stand-ins read it, and it stands still.
final class StreetClock: Sendable {
    private static let start = NumericDate(1_700_000_000)
    private let time = Mutex(start)
    private let origin = ContinuousClock.now

    var now: NumericDate { time.withLock { $0 } }
    var source: TimeSource { TimeSource { self.now } }

    /// The same time by a clock that is never set.
    var continuous: @Sendable () -> ContinuousClock.Instant {
        { self.origin + .seconds(self.now.seconds - Self.start.seconds) }
    }

    func advance(by duration: Duration) {
        time.withLock { $0 = $0 + duration }
    }
}
