package import NIOCore
internal import NIOPosix

/// Runs tasks on event loops (SE-0417), so that none changes threads for the sake of the next read or write.
///
/// Whatever blocks in a task then blocks a connection's I/O: signatures, storage and calls to providers have threads of
/// their own.
package final class LoopExecutor: TaskExecutor {
    private let loops: any EventLoopGroup

    /// On NIO's own loops, one a core: each part of a task where it became ready, if that is one of them, and otherwise on
    /// the next.
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
        // The current loop before any other: whoever took the next one here would have a say in which of them a connection
        // that is accepted gets.
        loops.any().execute {
            unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
