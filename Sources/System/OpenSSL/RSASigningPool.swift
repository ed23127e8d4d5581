internal import Foundation
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#endif

/// Threads that sign and do nothing else, so that a signature of a quarter of a millisecond stops no other work.
///
/// Each thread owns a copy of the key: on a shared one they would queue for the lock of its blinding. The threads run
/// at a lower priority (nice 5) than those that answer requests, and end when the pool is released.
package final class RSASigningPool: Sendable {
    private let queue: SigningQueue
    private let numbers = Atomic<UInt64>(0)

    /// Starts the threads: as many as there are cores, for more gain nothing.
    ///
    /// The limit says how many calls may wait; those being worked on are not counted.
    package init(key: RSAPrivateKey, threadCount: Int, queueLimit: Int) throws(OpenSSLError) {
        precondition(threadCount > 0 && queueLimit > 0)
        let queue = SigningQueue(limit: queueLimit)
        var signers: [SigningThread] = []
        for _ in 0..<threadCount {
            signers.append(
                SigningThread(
                    template: try key.duplicateTemplate(), signatureCount: key.publicKey.modulus.count, queue: queue))
        }
        self.queue = queue
        for signer in signers { signer.start() }
    }

    deinit { queue.close() }

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
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let job = SigningQueue.Job(id: id, message: message) { continuation.resume(returning: $0) }
                if let refusal = queue.append(job, unless: { Task.isCancelled }) {
                    continuation.resume(returning: .failure(refusal))
                }
            }
        } onCancel: {
            queue.remove(id)?.finish(.failure(.cancelled))
        }
        return try result.get()
    }
}

/// One thread with its own copy of the key.
private final class SigningThread: Sendable {
    private let template: DigestContext
    private let signatureCount: Int
    private let queue: SigningQueue

    init(template: consuming DigestContext, signatureCount: Int, queue: SigningQueue) {
        self.template = template
        self.signatureCount = signatureCount
        self.queue = queue
    }

    func start() {
        let thread = Thread { self.run() }
        thread.name = "signing"
        thread.start()
    }

    private func run() {
        #if canImport(Glibc)
            // setpriority(2): on Linux "the nice value is a per-thread attribute", and 0 is the calling thread. Where this
            // fails the thread runs at the usual priority.
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
        #endif
        while let job = queue.next() {
            do throws(OpenSSLError) {
                job.finish(.success(try template.signature(for: job.message, maximumCount: signatureCount)))
            } catch {
                job.finish(.failure(.failed(error)))
            }
        }
    }
}
