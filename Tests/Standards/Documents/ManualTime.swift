import JOSE
import Synchronization

/// A clock that stands still until it is advanced.
final class ManualTime: Sendable {
    private let now = Mutex(NumericDate(1_700_000_000))

    var source: TimeSource {
        TimeSource { self.now.withLock { $0 } }
    }

    func advance(by duration: Duration) {
        now.withLock { $0 = $0 + duration }
    }

    func advance(to seconds: Int64) {
        now.withLock { $0 = NumericDate(1_700_000_000 + seconds) }
    }
}
