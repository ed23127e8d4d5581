internal import DequeModule
internal import Dispatch
internal import Synchronization

/// The jobs that wait for a thread of ``RSASigningPool``, first come, first served.
final class SigningQueue: Sendable {
    struct Job: Sendable {
        let id: UInt64
        let message: [UInt8]
        /// Called once.
        let finish: @Sendable (Result<[UInt8], SigningError>) -> Void
    }

    private struct State {
        var waiting: Deque<Job> = []
        var isClosed = false
        /// The time of one signature, as a moving average; nil before the first.
        var duration: Duration?
    }

    /// So many are taken where twice as many wait for each thread, and the first of their callers waits for all the others.
    private static let batchLimit = 8

    private let limit: Int
    private let patience: Duration
    private let threadCount: Int
    private let state = Mutex(State())
    /// Counts at least as many as there are jobs; a surplus wakes a thread that finds nothing and sleeps again.
    private let available = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - limit: how many jobs may wait.
    ///   - patience: how long a job may wait, by what signatures have taken lately.
    ///   - threadCount: how many threads share the queue.
    init(limit: Int, patience: Duration, threadCount: Int) {
        self.limit = limit
        self.patience = patience
        self.threadCount = threadCount
    }

    var isFull: Bool { state.withLock { isFull($0) } }

    private func isFull(_ state: borrowing State) -> Bool {
        state.waiting.count >= limit
            || state.duration.map { $0 * state.waiting.count / threadCount > patience } ?? false
    }

    /// Nil when `job` waits; otherwise it never will, and the reason is told.
    ///
    /// The question is asked under the lock that ``remove(_:)`` takes, so that a cancellation is seen here or there.
    func append(_ job: Job, unless isCancelled: () -> Bool) -> SigningError? {
        let refusal: SigningError? = state.withLock { state in
            if isCancelled() { return .cancelled }
            guard !isFull(state) else { return .overloaded }
            state.waiting.append(job)
            return nil
        }
        if refusal == nil { available.signal() }
        return refusal
    }

    /// The job with that number, if no thread has taken it yet.
    func remove(_ id: UInt64) -> Job? {
        state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiting.remove(at: index)
        }
    }

    /// Blocks until there is a job, or until the queue is closed and empty: then nil.
    ///
    /// Where many wait, one thread takes several at once: their callers are woken together, and find a thread that is
    /// awake and code that is warm. Never more than half of its share of what waits, so that no other thread is left idle
    /// for it.
    func next() -> [Job]? {
        while true {
            available.wait()
            let (jobs, isClosed) = state.withLock { state in
                let count = min(Self.batchLimit, max(1, state.waiting.count / (2 * threadCount)))
                let jobs = Array(state.waiting.prefix(count))
                state.waiting.removeFirst(jobs.count)
                return (jobs, state.isClosed)
            }
            if !jobs.isEmpty { return jobs }
            if isClosed {
                // One signal was sent for all threads: it is passed on.
                available.signal()
                return nil
            }
        }
    }

    /// Notes that a thread has signed `count` jobs, one after the other.
    func finished(_ count: Int, after took: Duration) {
        let latest = took / count
        state.withLock { state in
            state.duration = state.duration.map { ($0 * 15 + latest) / 16 } ?? latest
        }
    }

    /// The threads finish what waits, then end.
    func close() {
        state.withLock { $0.isClosed = true }
        available.signal()
    }
}
