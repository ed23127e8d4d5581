internal import Foundation

/// A value that several threads change, one at a time.
///
/// Built on a lock of POSIX threads, which ThreadSanitizer knows. It does not see how a contended `Mutex` of the standard
/// library changes hands on Linux (in the kernel, by `FUTEX_UNLOCK_PI`), and reports races where there are none.
@safe
package final class Guarded<Value: Sendable>: @unchecked Sendable {
    // pthread_mutex_lock(3p): the value is touched by the thread that holds the lock alone.
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.withLock { body(&value) }
    }
}
