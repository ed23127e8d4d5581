internal import COpenSSL
internal import Dispatch
internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#endif

/// A thread of ``RSASigningPool`` with its own copy of the key.
///
/// It runs at a lower priority (nice 5) than the threads that answer requests.
final class SigningThread: Sendable {
    private let template: DigestContext
    private let signatureCount: Int
    private let queue: SigningQueue

    init(template: consuming DigestContext, signatureCount: Int, queue: SigningQueue) {
        self.template = template
        self.signatureCount = signatureCount
        self.queue = queue
    }

    func start(signallingAtEnd ended: DispatchSemaphore) {
        let thread = Thread {
            self.run()
            ended.signal()
        }
        thread.name = "signing"
        thread.start()
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
            // setpriority(2): on Linux "the nice value is a per-thread attribute", and 0 is the calling thread. Where this
            // fails the thread runs at the usual priority.
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
        #endif
        while let jobs = queue.next() {
            let began = ContinuousClock.now
            let results = jobs.map { signed($0.message) }
            queue.finished(jobs.count, after: ContinuousClock.now - began)
            for (job, result) in zip(jobs, results) { job.finish(result) }
        }
        // OPENSSL_thread_stop(3) "deallocates resources associated with the current thread", here the generator behind
        // the blinding. Otherwise that comes after the signal, when the process may be exiting.
        OPENSSL_thread_stop()
    }
}
