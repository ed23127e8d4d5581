import JOSE
import Synchronization

/// The one clock of a street: server and stand-ins read it, and it stands still.
final class StreetClock: Sendable {
    private let time = Mutex(NumericDate(1_700_000_000))

    var now: NumericDate { time.withLock { $0 } }
    var source: TimeSource { TimeSource { self.now } }

    func advance(by duration: Duration) {
        time.withLock { $0 = $0 + duration }
    }
}
