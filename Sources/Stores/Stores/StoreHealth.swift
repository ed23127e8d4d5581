internal import Synchronization

/// Whether the store can do what a sign-in asks of it.
package protocol StoreHealth: Sendable {
    /// Writes, commits and reads back: returns where a sign-in could have been recorded.
    func check() async throws(StoreError)
}

/// How often a store was asked, and how long whoever asked waited for it.
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

/// A store that tells how long it takes.
package protocol TimedStore: Sendable {
    var times: StoreTimes { get }
}
