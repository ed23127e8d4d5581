internal import Foundation

/// A value with a lock, for access from several threads.
///
/// It uses a POSIX lock, which ThreadSanitizer knows. ThreadSanitizer does not see the handover of a contended `Mutex`
/// of the standard library on Linux (in the kernel, by `FUTEX_UNLOCK_PI`), and reports false races.
@safe
package final class Guarded<Value: Sendable>: @unchecked Sendable {
    // pthread_mutex_lock(3p): only the thread that holds the lock accesses the value.
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.withLock { body(&value) }
    }
}
