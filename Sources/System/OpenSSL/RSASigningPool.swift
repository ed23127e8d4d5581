internal import CLinux
internal import COpenSSL
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#endif

/// A pool of threads that only sign.
///
/// One signature takes about 0.25 ms and would delay other work on a shared thread.
///
/// Each thread has its own copy of the key, because threads that share a key contend for the lock of its blinding. The
/// threads end when the pool is released, which waits for all jobs in progress and in the queue.
package final class RSASigningPool: Sendable {
    private let queue: SigningQueue
    private let threads: [pthread_t]
    private let numbers = Atomic<UInt64>(0)

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - key: The key. The pool makes a copy for each thread.
    ///   - threadCount: The number of threads. More than the number of cores has no benefit.
    ///   - queueLimit: The maximum number of waiting calls, without those in progress.
    ///   - patience: The maximum expected wait, estimated from recent signatures. A call that would wait longer is
    ///     refused.
    /// - Throws: ``OpenSSLError`` if the key cannot be copied, or no thread can be started.
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
        var started: [pthread_t] = []
        for thread in threads {
            guard let id = thread.start() else { break }
            started.append(id)
        }
        self.threads = started
        guard started.count == threadCount else {
            throw OpenSSLError(function: "pthread_create", reasons: ["no more threads can be started"])
        }
    }

    deinit {
        queue.close()
        // No thread may outlive libcrypto, which is torn down when the process exits. pthread_join(3) returns after the
        // thread has freed its copy of the key and what libcrypto keeps for each thread.
        for thread in threads { _ = pthread_join(thread, nil) }
    }

    /// The number of calls that no thread has taken yet.
    package var waiting: Int { queue.count }

    /// Whether a call made now would be refused.
    ///
    /// Check this before work that a refusal would waste. A later call may still be refused.
    package var isFull: Bool { queue.isFull }

    /// Signs a message with RSASSA-PKCS1-v1_5 and SHA-256, on one of the threads.
    ///
    /// - Throws: ``SigningError``. It is ``SigningError/overloaded``, immediately, if the queue is full or the expected
    ///   wait is too long.
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

/// The reason why ``RSASigningPool`` returned no signature.
package enum SigningError: Error, Equatable, Sendable {
    /// The queue is full, or the expected wait is too long. The call was not started and may be repeated later.
    case overloaded
    /// The calling task was cancelled before its turn came.
    case cancelled
    case failed(OpenSSLError)
}

/// A thread of ``RSASigningPool``, with its own copy of the key.
///
/// It has a lower priority (nice 5) than the threads that serve requests.
final class SigningThread: Sendable {
    private let template: DigestContext
    private let signatureCount: Int
    private let queue: SigningQueue

    init(template: consuming DigestContext, signatureCount: Int, queue: SigningQueue) {
        self.template = template
        self.signatureCount = signatureCount
        self.queue = queue
    }

    /// Starts the thread, which owns this object from now on and releases it before it ends.
    ///
    /// - Returns: The thread, which must be joined; `nil` if the system starts no more threads.
    func start() -> pthread_t? {
        let owned = unsafe Unmanaged.passRetained(self)
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread, nil,
            { owned in
                guard let owned = unsafe owned else { return nil }
                unsafe Unmanaged<SigningThread>.fromOpaque(owned).takeRetainedValue().run()
                return nil
            }, owned.toOpaque())
        guard result == 0 else {
            unsafe owned.release()
            return nil
        }
        return thread
    }

    private func signed(_ message: [UInt8]) -> Result<[UInt8], SigningError> {
        do throws(OpenSSLError) {
            return .success(try template.signature(for: message, maximumCount: signatureCount))
        } catch {
            return .failure(.failed(error))
        }
    }

    private func run() {
        #if canImport(Glibc)
            // setpriority(2): on Linux "the nice value is a per-thread attribute", and 0 is the calling thread. If it
            // fails, the thread keeps the normal priority.
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
            _ = unsafe prctl_set_name("signing")
        #endif
        while let jobs = queue.next() {
            let began = ContinuousClock.now
            let results = jobs.map { signed($0.message) }
            queue.finished(jobs.count, after: ContinuousClock.now - began)
            for (job, result) in zip(jobs, results) { job.finish(result) }
        }
    }
}
