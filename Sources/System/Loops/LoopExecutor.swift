internal import NIOCore
internal import NIOPosix

/// Runs tasks on the event loops themselves (SE-0417), so that a request does not change threads on its way.
///
/// Whatever blocks in a task then blocks a connection's I/O: signatures, storage and calls to providers have threads of
/// their own.
package final class LoopExecutor: TaskExecutor {
    private let group: MultiThreadedEventLoopGroup

    /// On NIO's own loops, one a core.
    package init() {
        group = .singleton
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // A task that is on a loop already stays there.
        let loop = MultiThreadedEventLoopGroup.currentEventLoop ?? group.next()
        loop.execute {
            unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
