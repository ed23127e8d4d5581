package import JOSE
internal import Synchronization

/// A clock that stands still until it is advanced.
package final class TestClock: Sendable {
    /// The initial time of every clock: 2023-11-14T22:13:20Z.
    package static let start = NumericDate(1_700_000_000)

    private let moment = Mutex(TestClock.start)

    package init() {}

    package var now: NumericDate { moment.withLock { $0 } }

    package var source: TimeSource { TimeSource { self.now } }

    package func advance(by duration: Duration) {
        moment.withLock { $0 = $0 + duration }
    }
}
