internal import Stores
internal import Synchronization

/// Audit lines on their way to the store.
final class AuditMailbox: Sendable {
    private static let capacity = 10_000

    private struct State {
        var waiting: [AuditLine] = []
        var lost = 0
    }

    private let state = Mutex(State())

    /// Keeps a line where there is room; the last half of it is kept for what was done, so that no flood of refusals
    /// displaces that.
    func put(_ line: AuditLine, isRefusal: Bool) {
        state.withLock { state in
            guard state.waiting.count < (isRefusal ? Self.capacity / 2 : Self.capacity) else {
                state.lost += 1
                return
            }
            state.waiting.append(line)
        }
    }

    /// How many lines there was no room for since it was asked last.
    func takeLost() -> Int {
        state.withLock { state in
            defer { state.lost = 0 }
            return state.lost
        }
    }

    /// The oldest, to be written in one commit.
    func take(atMost limit: Int) -> [AuditLine] {
        state.withLock { state in
            let lines = Array(state.waiting.prefix(limit))
            state.waiting.removeFirst(lines.count)
            return lines
        }
    }

    /// For the next attempt.
    func putBack(_ lines: [AuditLine]) {
        state.withLock { $0.waiting.insert(contentsOf: lines, at: 0) }
    }
}
