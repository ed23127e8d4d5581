internal import Dispatch

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
    ///   - queueLimit: how many calls may wait; those being worked on are not counted.
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
    /// Cancelling the task changes nothing: who spends must learn what came of it.
    ///
    /// - Parameter body: blocks as long as it needs. A transaction that it leaves open is rolled back.
    /// - Returns: what `body` returns.
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
