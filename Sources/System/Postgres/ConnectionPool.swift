internal import DequeModule
internal import Dispatch
internal import Foundation
internal import Synchronization

/// A pool of connections, each on a thread of its own, so that waiting for a server does not block other work.
///
/// A connection is opened if a call waits and no open connection is idle, and opened again after it has broken. While the
/// server accepts no further connections, the open ones run all calls.
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
    ///   cases `body` was not called. While no connection can be opened, that error replaces `overloaded`; it ends the call
    ///   before `patience` has passed only if no connection is open.
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
        let wakeUp = DispatchSemaphore(value: 0)
        var connection: Connection?
        while true {
            guard queue.waitForJob(isConnected: connection != nil, wakeUp) else { return }
            // If the server was restarted, it has closed the connection. Nothing was sent yet, so open a new one.
            guard var current = alive(connection.take()) ?? opened() else { continue }
            if let job = queue.take() {
                job.run(&current)
                // A transaction that the job left open must not be committed by the next one.
                current.rollback()
            }
            connection = consume current
        }
    }

    private func alive(_ connection: consuming Connection?) -> Connection? {
        guard let connection, connection.isAlive() else { return nil }
        return connection
    }

    /// Opens a connection while the job stays in the queue, so that it ends in time, or another thread takes it.
    private func opened() -> Connection? {
        let began = ContinuousClock.now
        do throws(PostgresError) {
            let connection = try open()
            queue.noteOpening()
            return connection
        } catch {
            queue.noteFailure(error, ofAttemptAt: began)
            return nil
        }
    }
}

/// The jobs that wait for a thread of ``ConnectionPool``, in the order of their arrival.
final class JobQueue: Sendable {
    struct Job: Sendable {
        let arrival: ContinuousClock.Instant
        let deadline: ContinuousClock.Instant
        let run: @Sendable (inout Connection) -> Void
        let fail: @Sendable (PostgresError) -> Void
    }

    private struct State {
        var waiting: Deque<Job> = []
        var isClosed = false
        var isAlarmSet = false
        /// The number of threads that have a connection, or open one.
        var candidateCount = 0
        /// The latest attempt to open a connection, if it failed.
        var failedAttempt: (began: ContinuousClock.Instant, error: PostgresError)?
        /// What wakes the threads that wait with a connection.
        var idleConnected: [DispatchSemaphore] = []
        /// What wakes the threads that wait without a connection.
        var idleUnconnected: [DispatchSemaphore] = []

        /// The error for a job that has waited too long.
        ///
        /// If no connection can be opened, jobs wait for that reason. The error then names it and not an overload.
        var lateness: PostgresError { failedAttempt?.error ?? .overloaded }

        /// Whether a thread has a reason to run, or to open a connection.
        ///
        /// A job that arrived before a failed attempt waits for another thread that can run it, if there is one.
        func hasJob(isConnected: Bool) -> Bool {
            guard let last = waiting.last else { return false }
            guard !isConnected, candidateCount > 0, let failedAttempt else { return true }
            return last.arrival > failedAttempt.began
        }

        /// Removes the jobs that have waited too long; the caller ends them without the lock.
        mutating func removeLateJobs() -> [Job] { removeFirst { $0.deadline <= .now } }

        mutating func removeFirst(while condition: (Job) -> Bool) -> [Job] {
            let jobs = Array(waiting.prefix(while: condition))
            waiting.removeFirst(jobs.count)
            return jobs
        }
    }

    private let state = Mutex(State())
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Appends a job, and wakes a thread for it, preferably one with a connection.
    ///
    /// - Returns: The reason why the job was not appended; `nil` if it was.
    func append(_ job: Job) -> PostgresError? {
        let (refusal, wakeUp): (PostgresError?, DispatchSemaphore?) = state.withLock { state in
            guard !state.isClosed else { return (.closed, nil) }
            guard state.waiting.count < limit else { return (state.lateness, nil) }
            state.waiting.append(job)
            setAlarm(&state)
            return (nil, state.idleConnected.popLast() ?? state.idleUnconnected.popLast())
        }
        wakeUp?.signal()
        return refusal
    }

    /// Ends the jobs that have waited too long, also while every thread waits for the server.
    private func endLateJobs() {
        let (late, error) = state.withLock { state in
            state.isAlarmSet = false
            defer { setAlarm(&state) }
            return (state.removeLateJobs(), state.lateness)
        }
        for job in late { job.fail(error) }
    }

    /// Calls ``endLateJobs()`` at the deadline of the oldest job.
    private func setAlarm(_ state: inout State) {
        guard !state.isAlarmSet, let first = state.waiting.first else { return }
        state.isAlarmSet = true
        let nanoseconds = max(0, ContinuousClock.now.duration(to: first.deadline) / .nanoseconds(1))
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds))) { self.endLateJobs() }
    }

    var count: Int { state.withLock(\.waiting.count) }

    /// Records that a thread opened a connection.
    func noteOpening() {
        state.withLock { $0.failedAttempt = nil }
    }

    /// Records that a thread has no connection, because it could not open one.
    ///
    /// If another thread has or opens a connection, the jobs are left to it. Otherwise they fail, except those that arrived
    /// later than `began`, which may find the server started again.
    func noteFailure(_ error: PostgresError, ofAttemptAt began: ContinuousClock.Instant) {
        let (jobs, wakeUp): ([Job], DispatchSemaphore?) = state.withLock { state in
            state.candidateCount -= 1
            state.failedAttempt = (began, error)
            guard state.candidateCount > 0 else { return (state.removeFirst { $0.arrival <= began }, nil) }
            return ([], state.waiting.isEmpty ? nil : state.idleConnected.popLast())
        }
        for job in jobs { job.fail(error) }
        wakeUp?.signal()
    }

    /// Blocks until there is a job for the calling thread.
    ///
    /// - Parameters:
    ///   - isConnected: Whether the thread has a connection. If it has none and there is a job, it has to open one.
    ///   - wakeUp: A semaphore of the thread, with the value 0.
    /// - Returns: `false` if the queue is closed and has no such job.
    func waitForJob(isConnected: Bool, _ wakeUp: DispatchSemaphore) -> Bool {
        while true {
            let answer: Bool? = state.withLock { state in
                if state.hasJob(isConnected: isConnected) {
                    if !isConnected { state.candidateCount += 1 }
                    return true
                }
                if state.isClosed { return false }
                if isConnected { state.idleConnected.append(wakeUp) } else { state.idleUnconnected.append(wakeUp) }
                return nil
            }
            if let answer { return answer }
            wakeUp.wait()
        }
    }

    /// Takes the oldest job that has not waited too long.
    ///
    /// - Returns: The job; `nil` if another thread has taken it, or if it ended because it was late.
    func take() -> Job? {
        let (late, error, job) = state.withLock { state in
            let late = state.removeLateJobs()
            return (late, state.lateness, state.waiting.popFirst())
        }
        for job in late { job.fail(error) }
        return job
    }

    /// Closes the queue.
    ///
    /// The threads finish the waiting jobs, then end.
    func close() {
        let wakeUps = state.withLock { state in
            state.isClosed = true
            defer { (state.idleConnected, state.idleUnconnected) = ([], []) }
            return state.idleConnected + state.idleUnconnected
        }
        for wakeUp in wakeUps { wakeUp.signal() }
    }
}
