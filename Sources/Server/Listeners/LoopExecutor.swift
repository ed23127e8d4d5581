package import NIOCore
internal import NIOPosix

/// Runs tasks on event loops (SE-0417), so that a task needs no change of threads for its next read or write.
///
/// Blocking in a task therefore blocks the I/O of connections. Storage and calls to peers use threads of their own. A
/// signature takes about 0.25 ms, and would wait longer for another thread than it runs.
package final class LoopExecutor: TaskExecutor {
    private let loops: any EventLoopGroup

    /// Uses NIO's own loops, one per core.
    ///
    /// A job runs on the loop of the current thread. If the thread has none, the job runs on the next loop in turn.
    package convenience init() {
        self.init(MultiThreadedEventLoopGroup.singleton)
    }

    /// Uses only the given loop.
    package convenience init(loop: any EventLoop) {
        self.init(loop)
    }

    private init(_ loops: any EventLoopGroup) {
        self.loops = loops
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // Prefer the current loop. Taking the next one would also change which loop an accepted connection is assigned
        // to.
        loops.any().execute {
            unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
