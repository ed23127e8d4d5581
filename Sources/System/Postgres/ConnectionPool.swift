internal import DequeModule
internal import Dispatch
internal import Foundation

/// A pool of connections, each on a thread of its own, so that waiting for a server does not block other work.
///
/// A connection is opened when it is first needed, and opened again after it has broken.
package final class ConnectionPool: Sendable {
    private let queue: JobQueue
    private let patience: Duration
    private let threadCount: Int
    private let ended = DispatchSemaphore(value: 0)

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - count: The number of threads, and the maximum number of connections.
    ///   - queueLimit: The maximum number of waiting calls, without those in progress.
    ///   - patience: The maximum wait of a call for a connection. A call ends after it even if every thread waits for the
    ///     server.
    ///   - open: Opens a connection, on the thread that will own it.
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

    /// The number of calls that wait for a connection.
    package var waiting: Int { queue.count }

    /// Finishes all calls in progress and in the queue, and closes the connections.
    ///
    /// Later calls throw ``PostgresError/closed``. The method blocks the thread, and may be called again.
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
    /// - Parameter body: The work, which may block. A transaction that it leaves open is rolled back.
    /// - Throws: ``PostgresError/overloaded``, ``PostgresError/closed`` or the error of opening a connection. In all
    ///   cases `body` was not called. While no connection can be opened, that error replaces `overloaded`.
    package func run<Value: Sendable>(
        _ body: @escaping @Sendable (inout Connection) -> Value
    ) async throws(PostgresError) -> Value {
        let result: Result<Value, PostgresError> = await withCheckedContinuation { continuation in
            let arrival = ContinuousClock.now
            let job = JobQueue.Job(
                arrival: arrival, deadline: arrival + patience,
                run: { continuation.resume(returning: .success(body(&$0))) },
                fail: { continuation.resume(returning: .failure($0)) })
            if let refusal = queue.append(job) { continuation.resume(returning: .failure(refusal)) }
        }
        return try result.get()
    }
}

/// A thread of ``ConnectionPool``, which owns at most one connection.
final class ConnectionThread: Sendable {
    /// Opens a connection that is ready for use.
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
        while queue.waitForJob() {
            let began = ContinuousClock.now
            do throws(PostgresError) {
                // If the server was restarted, it has closed the connection. Nothing was sent yet, so open a new one. The
                // job stays in the queue meanwhile, so that it ends in time, or another thread takes it.
                var current = try Self.alive(connection.take(), else: open)
                queue.note(openingFailure: nil)
                if let job = queue.take() {
                    job.run(&current)
                    // A transaction that the job left open must not be committed by the next one.
                    current.rollback()
                }
                connection = consume current
            } catch {
                queue.note(openingFailure: error)
                // A job that has arrived since may find the server started again.
                queue.take(arrivedBefore: began)?.fail(error)
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

/// The jobs that wait for a thread of ``ConnectionPool``, in the order of their arrival.
@safe
final class JobQueue: @unchecked Sendable {
    struct Job: Sendable {
        let arrival: ContinuousClock.Instant
        let deadline: ContinuousClock.Instant
        let run: @Sendable (inout Connection) -> Void
        let fail: @Sendable (PostgresError) -> Void
    }

    // pthread_cond_wait(3p): only the thread that holds the lock accesses the following properties.
    private let condition = NSCondition()
    private var waiting: Deque<Job> = []
    private var isClosed = false
    private var openingFailure: PostgresError?
    private var isAlarmSet = false
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Appends a job.
    ///
    /// - Returns: The reason why the job was not appended; `nil` if it was.
    func append(_ job: Job) -> PostgresError? {
        condition.withLock {
            guard !isClosed else { return .closed }
            guard waiting.count < limit else { return openingFailure ?? .overloaded }
            waiting.append(job)
            setAlarm()
            condition.signal()
            return nil
        }
    }

    /// Ends the jobs that have waited too long, also while every thread waits for the server.
    private func endLateJobs() {
        let (late, error) = condition.withLock {
            isAlarmSet = false
            defer { setAlarm() }
            return (removeLateJobs(), lateness)
        }
        for job in late { job.fail(error) }
    }

    /// Removes the jobs that have waited too long; the caller holds the lock, and ends them without it.
    private func removeLateJobs() -> [Job] {
        var late: [Job] = []
        while let first = waiting.first, first.deadline <= .now { late.append(waiting.removeFirst()) }
        return late
    }

    /// Calls ``endLateJobs()`` at the deadline of the oldest job; the caller holds the lock.
    private func setAlarm() {
        guard !isAlarmSet, let first = waiting.first else { return }
        isAlarmSet = true
        let nanoseconds = max(0, ContinuousClock.now.duration(to: first.deadline) / .nanoseconds(1))
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds))) { self.endLateJobs() }
    }

    var count: Int { condition.withLock { waiting.count } }

    /// The error for a job that has waited too long.
    ///
    /// If no connection can be opened, jobs wait for that reason. The error then names it and not an overload. The caller
    /// holds the lock.
    private var lateness: PostgresError { openingFailure ?? .overloaded }

    /// Records whether the latest connection could be opened.
    ///
    /// - Parameter failure: The reason why no connection could be opened; `nil` after success.
    func note(openingFailure failure: PostgresError?) {
        condition.withLock { openingFailure = failure }
    }

    /// Blocks until there is a job.
    ///
    /// - Returns: `false` if the queue is closed and empty.
    func waitForJob() -> Bool {
        condition.withLock {
            while waiting.isEmpty {
                if isClosed { return false }
                condition.wait()
            }
            return true
        }
    }

    /// Takes the oldest job that has not waited too long.
    ///
    /// - Parameter limit: The time before which the job must have arrived; `nil` for any.
    /// - Returns: The job; `nil` if another thread has taken it, if it ended because it was late, or if it arrived later.
    func take(arrivedBefore limit: ContinuousClock.Instant? = nil) -> Job? {
        let (late, error, job) = condition.withLock {
            let late = removeLateJobs()
            let isEarly = waiting.first.map { job in limit.map { job.arrival <= $0 } ?? true } ?? false
            return (late, lateness, isEarly ? waiting.popFirst() : nil)
        }
        for job in late { job.fail(error) }
        return job
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
