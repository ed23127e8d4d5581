internal import DequeModule
internal import Foundation

/// What waits for a thread of ``ConnectionPool``, first come, first served.
@safe
final class JobQueue: @unchecked Sendable {
    struct Job: Sendable {
        let deadline: ContinuousClock.Instant
        let run: @Sendable (inout Connection) -> Void
        let fail: @Sendable (PostgresError) -> Void
    }

    // pthread_cond_wait(3p): only the thread that holds the lock touches what follows.
    private let condition = NSCondition()
    private var waiting: Deque<Job> = []
    private var isClosed = false
    private var openingFailure: PostgresError?
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Nil when `job` waits; otherwise it never will, and the reason is told.
    func append(_ job: Job) -> PostgresError? {
        condition.withLock {
            guard !isClosed else { return .closed }
            guard waiting.count < limit else { return openingFailure ?? .overloaded }
            waiting.append(job)
            condition.signal()
            return nil
        }
    }

    /// Why a job that has waited for too long is refused.
    ///
    /// A queue that does not get shorter because no connection can be made is not one with too much to do.
    var lateness: PostgresError { condition.withLock { openingFailure ?? .overloaded } }

    /// - Parameter failure: Why no connection could be made; nil once there is one.
    func note(openingFailure failure: PostgresError?) {
        condition.withLock { openingFailure = failure }
    }

    /// Blocks until there is a job, or until the queue is closed and empty: then nil.
    func next() -> Job? {
        condition.withLock {
            while waiting.isEmpty {
                if isClosed { return nil }
                condition.wait()
            }
            return waiting.removeFirst()
        }
    }

    /// The threads finish what waits, then end.
    func close() {
        condition.withLock {
            isClosed = true
            condition.broadcast()
        }
    }
}
