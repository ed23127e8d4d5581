internal import Synchronization

/// A store that can verify that it works.
package protocol StoreHealth: Sendable {
    /// Writes a counter, commits and reads it back. Returns normally if a sign-in could have been recorded.
    func check() async throws(StoreError)
}

/// Counts the calls to a store and the time that callers waited for it.
package final class StoreTimes: Sendable {
    private let total = Mutex<(questions: Int, time: Duration)>((0, .zero))

    package init() {}

    package var questions: Int { total.withLock { $0.questions } }
    package var time: Duration { total.withLock { $0.time } }

    package func record(_ time: Duration) {
        total.withLock { total in
            total.questions += 1
            total.time += time
        }
    }
}

/// A store that measures the duration of its calls.
package protocol TimedStore: Sendable {
    var times: StoreTimes { get }
}
