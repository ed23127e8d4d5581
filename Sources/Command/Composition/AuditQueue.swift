internal import Stores
internal import Synchronization

/// Audit lines on their way to the store.
final class AuditQueue: Sendable {
    static let capacity = 10_000

    private let queue = Mutex(BoundedQueue<AuditLine>(capacity: capacity))

    /// Keeps a line if there is room; a flood of refusals does not displace what was done.
    func put(_ line: AuditLine, isRefusal: Bool) {
        queue.withLock { $0.put(line, ofLittleValue: isRefusal) }
    }

    /// How many lines there was no room for since this was asked last.
    func takeLost() -> Int {
        queue.withLock { $0.takeLost() }
    }

    /// The oldest, to be written in one commit.
    func take(atMost limit: Int) -> [AuditLine] {
        queue.withLock { $0.take(atMost: limit) }
    }

    /// For the next attempt.
    func putBack(_ lines: [AuditLine]) {
        queue.withLock { $0.putBack(lines) }
    }
}
