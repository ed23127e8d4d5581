package import CoreMetrics

/// A store that can verify that it works.
package protocol StoreHealth: Sendable {
    /// Writes a counter, commits and reads it back. Returns normally if a sign-in could have been recorded.
    func check() async throws(StoreError)
}

/// The quantities of a store that metrics show.
package protocol StoreStatistics: Sendable {
    /// The number of calls that wait for a connection or for the next commit.
    var waitingCalls: Int { get }

    /// Counts the records of used credentials.
    ///
    /// The store reads all of them, which takes about a second for ten million.
    func spentRows() async throws(StoreError) -> Int
}

/// The instruments of a store.
package struct StoreMeters: Sendable {
    private let calls: Timer
    private let commitJobs: Recorder

    package init(_ factory: any MetricsFactory) {
        calls = Timer(label: "token_exchange_store_seconds", factory: factory)
        commitJobs = Recorder(label: "token_exchange_store_commit_jobs", factory: factory)
    }

    /// Records the time that a caller waited.
    package func record(_ time: Duration) {
        calls.recordNanoseconds(Int64(time / .nanoseconds(1)))
    }

    /// Records how many calls one commit made durable.
    package func recordCommit(jobs: Int) {
        commitJobs.record(jobs)
    }
}
