internal import DequeModule
internal import Dispatch
internal import Synchronization

/// The jobs that wait for a thread of ``RSASigningPool``, in the order of their arrival.
final class SigningQueue: Sendable {
    struct Job: Sendable {
        let id: UInt64
        let message: [UInt8]
        /// The callback, which is called exactly once.
        let finish: @Sendable (Result<[UInt8], SigningError>) -> Void
    }

    private struct State {
        var waiting: Deque<Job> = []
        var isClosed = false
        /// The moving average of the time of one signature; `nil` before the first signature.
        var duration: Duration?
    }

    /// The maximum number of jobs that a thread takes at once.
    ///
    /// All callers of a batch are resumed together, so the first one waits for the whole batch.
    private static let batchLimit = 8

    private let limit: Int
    private let patience: Duration
    private let threadCount: Int
    private let state = Mutex(State())
    /// The semaphore for which the threads wait, signalled once for each job.
    ///
    /// If a thread takes several jobs at once, the surplus wakes a thread that finds no job and waits again.
    private let available = DispatchSemaphore(value: 0)

    /// Makes an empty queue.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of waiting jobs.
    ///   - patience: The maximum expected wait, estimated from recent signatures.
    ///   - threadCount: The number of threads that share the queue.
    init(limit: Int, patience: Duration, threadCount: Int) {
        self.limit = limit
        self.patience = patience
        self.threadCount = threadCount
    }

    var count: Int { state.withLock { $0.waiting.count } }

    var isFull: Bool { state.withLock { isFull($0) } }

    private func isFull(_ state: borrowing State) -> Bool {
        state.waiting.count >= limit
            || state.duration.map { $0 * state.waiting.count / threadCount > patience } ?? false
    }

    /// Appends a job.
    ///
    /// `isCancelled` is called under the lock that ``remove(_:)`` takes, so that one of the two methods notices a
    /// cancellation.
    ///
    /// - Returns: The reason why the job was not appended; `nil` if it was.
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

    /// Removes the job with this number, if no thread has taken it yet.
    func remove(_ id: UInt64) -> Job? {
        state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiting.remove(at: index)
        }
    }

    /// Blocks until there is a job.
    ///
    /// If many jobs wait, a thread takes several at once, so that their callers are resumed together, while threads and
    /// caches are warm. It takes at most half of its share of the waiting jobs, so that no other thread stays idle.
    ///
    /// - Returns: At least one job; `nil` if the queue is closed and empty.
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
                // close() signals once for all threads, so each thread passes the signal on.
                available.signal()
                return nil
            }
        }
    }

    /// Records the time that a thread took to sign `count` jobs in sequence.
    func finished(_ count: Int, after took: Duration) {
        let latest = took / count
        state.withLock { state in
            state.duration = state.duration.map { ($0 * 15 + latest) / 16 } ?? latest
        }
    }

    /// Closes the queue.
    ///
    /// The threads finish the waiting jobs, then end.
    func close() {
        state.withLock { $0.isClosed = true }
        available.signal()
    }
}
