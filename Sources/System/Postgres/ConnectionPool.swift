internal import DequeModule
internal import Dispatch
internal import Foundation

/// Connections, each on a thread of its own, so that waiting for a server stops no other work.
///
/// A connection is made when there is something to do for it, and made anew when it broke.
package final class ConnectionPool: Sendable {
    private let queue: JobQueue
    private let patience: Duration
    private let threadCount: Int
    private let ended = DispatchSemaphore(value: 0)

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - count: of threads, and of connections at most.
    ///   - queueLimit: The maximum number of waiting calls, without those in progress.
    ///   - patience: how long one may wait.
    ///   - open: makes a connection, on the thread that owns it from then on.
    package init(
        count: Int, queueLimit: Int, patience: Duration,
        open: @escaping @Sendable () throws(PostgresError) -> Connection
    ) {
        precondition(count > 0 && queueLimit > 0)
        queue = JobQueue(limit: queueLimit)
        self.patience = patience
        threadCount = count
        for _ in 0..<count { ConnectionThread(queue: queue, open: open).start(signallingAtEnd: ended) }
    }

    deinit { close() }

    /// Finishes what is under way and what waits, and closes the connections; everything after it is
    /// ``PostgresError/closed``.
    ///
    /// Blocks the thread. It may be called again.
    package func close() {
        queue.close()
        // No thread may outlive libcrypto, which is torn down when the process exits.
        for _ in 0..<threadCount { ended.wait() }
        for _ in 0..<threadCount { ended.signal() }
    }

    /// Runs `body` with a connection on the connection's thread.
    ///
    /// Cancelling the task has no effect: a caller that spends must learn the outcome.
    ///
    /// - Parameter body: blocks as long as it needs. A transaction that it leaves open is rolled back.
    /// - Returns: The value of `body`.
    /// - Throws: If `body` was not called: ``PostgresError/overloaded``, ``PostgresError/closed``, and what opening a
    ///   connection throws, which is also thrown in place of `overloaded` while none can be made.
    package func run<Value: Sendable>(
        _ body: @escaping @Sendable (inout Connection) -> Value
    ) async throws(PostgresError) -> Value {
        let result: Result<Value, PostgresError> = await withCheckedContinuation { continuation in
            let job = JobQueue.Job(
                deadline: .now + patience, run: { continuation.resume(returning: .success(body(&$0))) },
                fail: { continuation.resume(returning: .failure($0)) })
            if let refusal = queue.append(job) { continuation.resume(returning: .failure(refusal)) }
        }
        return try result.get()
    }
}

/// A thread of ``ConnectionPool``, which owns one connection, or none until it is needed.
final class ConnectionThread: Sendable {
    /// Makes a connection that is fit for use.
    typealias Opening = @Sendable () throws(PostgresError) -> Connection

    private let queue: JobQueue
    private let open: Opening

    init(queue: JobQueue, open: @escaping Opening) {
        self.queue = queue
        self.open = open
    }

    func start(signallingAtEnd ended: DispatchSemaphore) {
        let thread = Thread {
            self.run()
            ended.signal()
        }
        thread.name = "postgres"
        thread.start()
    }

    private func run() {
        var connection: Connection?
        while let job = queue.next() {
            guard ContinuousClock.now < job.deadline else {
                job.fail(queue.lateness)
                continue
            }
            do throws(PostgresError) {
                // A server that was restarted has closed it meanwhile, and nothing was sent yet.
                var current = try Self.alive(connection.take(), else: open)
                queue.note(openingFailure: nil)
                job.run(&current)
                // A job that left it open was not the one to commit it.
                current.rollback()
                connection = consume current
            } catch {
                queue.note(openingFailure: error)
                job.fail(error)
            }
        }
    }

    private static func alive(
        _ connection: consuming Connection?, else open: Opening
    ) throws(PostgresError) -> Connection {
        if let connection, connection.isAlive() { return connection }
        return try open()
    }
}

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

    /// Appends a job.
    ///
    /// Returns `nil`, or the reason why the job was not appended.
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

    /// Blocks until there is a job.
    ///
    /// Returns `nil` if the queue is closed and empty.
    func next() -> Job? {
        condition.withLock {
            while waiting.isEmpty {
                if isClosed { return nil }
                condition.wait()
            }
            return waiting.removeFirst()
        }
    }

    /// Closes the queue.
    ///
    /// The threads finish the waiting jobs, then end.
    func close() {
        condition.withLock {
            isClosed = true
            condition.broadcast()
        }
    }
}
