internal import Glibc
internal import NIOCore
internal import Synchronization

/// Pauses accepting when the process or the system has no file descriptor or memory left for a connection.
///
/// NIO continues to read from a listening socket after such an error. While the backlog is not empty, that is a busy
/// loop: the `AcceptBackoffHandler` of NIO delays the next read, but the failed read is still pending.
final class AcceptPause: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = any Channel
    typealias OutboundIn = Never

    /// The time between two attempts to accept.
    static let length = TimeAmount.milliseconds(100)
    /// A pause is reported as the first one if no other began within this time before it.
    private static let silence = TimeAmount.seconds(60)
    private static let exhaustion = [EMFILE, ENFILE, ENOBUFS, ENOMEM]

    private let mayAccept: () -> Bool
    private let onPause: (_ isFirst: Bool) -> Void
    private var latest: NIODeadline?
    private var isPaused = false
    private var resumption: Scheduled<Void>?

    /// Creates the handler.
    ///
    /// - Parameters:
    ///   - mayAccept: Called before each attempt to accept; the pause lasts while it returns `false`.
    ///   - onPause: Called at the beginning of each pause, with `true` if there was no pause in the minute before.
    init(mayAccept: @escaping () -> Bool, onPause: @escaping (_ isFirst: Bool) -> Void) {
        self.mayAccept = mayAccept
        self.onPause = onPause
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, Self.exhaustion.contains(error.errnoCode)
        else { return context.fireErrorCaught(error) }
        pause(context)
    }

    func read(context: ChannelHandlerContext) {
        guard !isPaused else { return }
        guard mayAccept() else { return pause(context) }
        context.read()
    }

    func channelInactive(context: ChannelHandlerContext) {
        resumption?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        resumption?.cancel()
    }

    private func pause(_ context: ChannelHandlerContext) {
        guard !isPaused else { return }
        let now = context.eventLoop.now
        onPause(latest.map { now - $0 > Self.silence } ?? true)
        isPaused = true
        // Turning autoRead off also cancels the pending read.
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        scheduleResumption(context)
    }

    private func scheduleResumption(_ context: ChannelHandlerContext) {
        latest = context.eventLoop.now
        resumption = context.eventLoop.assumeIsolated().scheduleTask(in: Self.length) { [self] in
            guard mayAccept() else { return scheduleResumption(context) }
            isPaused = false
            try? context.channel.syncOptions?.setOption(.autoRead, value: true)
        }
    }
}

/// File descriptors that the process holds in reserve.
///
/// Connections to the public listener could use up all descriptors of the process: the admin listener could not accept
/// a connection, and the store could not open a file. The public listener then releases the reserve, and accepts again
/// only after it has reopened all of it.
final class SpareDescriptors: Sendable {
    private let count: Int
    private let held = Mutex<[Int32]>([])

    init(count: Int = 16) {
        self.count = count
        _ = take()
    }

    deinit { release() }

    /// Opens the missing descriptors of the reserve.
    ///
    /// - Returns: `false` if the system has too few descriptors; the reserve is then released.
    func take() -> Bool {
        held.withLock { held in
            while held.count < count {
                let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
                guard descriptor >= 0 else {
                    Self.close(&held)
                    return false
                }
                held.append(descriptor)
            }
            return true
        }
    }

    func release() {
        held.withLock { Self.close(&$0) }
    }

    private static func close(_ held: inout [Int32]) {
        for descriptor in held { _ = Glibc.close(descriptor) }
        held = []
    }
}
