internal import Synchronization

/// How many calls may be under way at once.
final class CallLimit: Sendable {
    private let maximum: Int
    private let underWay = Mutex(0)

    init(_ maximum: Int) {
        precondition(maximum > 0)
        self.maximum = maximum
    }

    /// False where there is no room; otherwise ``end()`` has to follow.
    func begin() -> Bool {
        underWay.withLock { count in
            guard count < maximum else { return false }
            count += 1
            return true
        }
    }

    func end() {
        underWay.withLock { $0 -= 1 }
    }
}
