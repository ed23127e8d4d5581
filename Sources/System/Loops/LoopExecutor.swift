package import NIOCore
internal import NIOPosix

/// Runs tasks on event loops (SE-0417), so that a request does not change threads on its way.
///
/// Whatever blocks in a task then blocks a connection's I/O: signatures, storage and calls to providers have threads of
/// their own.
package final class LoopExecutor: TaskExecutor {
    private let loops: any EventLoopGroup

    /// On NIO's own loops, one a core: each part of a task on the next of them.
    package convenience init() {
        self.init(MultiThreadedEventLoopGroup.singleton)
    }

    /// On that loop and no other.
    package convenience init(loop: any EventLoop) {
        self.init(loop)
    }

    private init(_ loops: any EventLoopGroup) {
        self.loops = loops
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loops.next().execute {
            unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
