internal import Dispatch
internal import Synchronization

/// Threads that sign and do nothing else, so that a signature of a quarter of a millisecond stops no other work.
///
/// Each thread owns a copy of the key: on a shared one they would queue for the lock of its blinding. They end when the
/// pool is released, which waits until what was begun, and what waits, is signed.
package final class RSASigningPool: Sendable {
    private let queue: SigningQueue
    private let threadCount: Int
    private let ended = DispatchSemaphore(value: 0)
    private let numbers = Atomic<UInt64>(0)

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - key: the pool makes a copy of it for each thread.
    ///   - threadCount: as many as there are cores; more gain nothing.
    ///   - queueLimit: how many calls may wait; those being worked on are not counted.
    ///   - patience: a call is refused if it would wait longer than that, by what signatures have taken lately.
    /// - Throws: ``OpenSSLError`` if the key cannot be copied.
    package init(
        key: RSAPrivateKey, threadCount: Int, queueLimit: Int, patience: Duration
    ) throws(OpenSSLError) {
        precondition(threadCount > 0 && queueLimit > 0)
        let queue = SigningQueue(limit: queueLimit, patience: patience, threadCount: threadCount)
        var threads: [SigningThread] = []
        for _ in 0..<threadCount {
            threads.append(
                SigningThread(
                    template: try key.duplicateTemplate(), signatureCount: key.publicKey.modulus.count, queue: queue))
        }
        self.queue = queue
        self.threadCount = threadCount
        for thread in threads { thread.start(signallingAtEnd: ended) }
    }

    deinit {
        queue.close()
        // No thread may outlive libcrypto, which is torn down when the process exits.
        for _ in 0..<threadCount { ended.wait() }
    }

    /// Whether a call made now would be refused.
    ///
    /// To be asked before work that is wasted then; the answer is no promise.
    package var isFull: Bool { queue.isFull }

    /// RSASSA-PKCS1-v1_5 with SHA-256, the same as ``RSAPrivateKey/signature(for:)``.
    ///
    /// - Throws: ``SigningError/overloaded`` at once where the queue is full.
    package func signature(for message: [UInt8]) async throws(SigningError) -> [UInt8] {
        let id = numbers.wrappingAdd(1, ordering: .relaxed).newValue
        let queue = queue
        let result: Result<[UInt8], SigningError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let job = SigningQueue.Job(id: id, message: message) { continuation.resume(returning: $0) }
                if let refusal = queue.append(job, unless: { Task.isCancelled }) { job.finish(.failure(refusal)) }
            }
        } onCancel: {
            queue.remove(id)?.finish(.failure(.cancelled))
        }
        return try result.get()
    }
}
