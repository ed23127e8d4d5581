internal import Glibc
internal import NIOCore
internal import Synchronization

/// Stops accepting for a moment when the process or the system has no file descriptor or memory for a connection.
///
/// NIO goes on reading from a listening socket after such an error, and while the backlog is not empty that is a loop
/// that never ends: its own `AcceptBackoffHandler` puts off the next read, but the one that failed is still pending.
final class AcceptPause: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never
    typealias OutboundOut = Never

    /// Between two attempts to accept.
    static let length = TimeAmount.milliseconds(100)
    /// A pause that begins so long after the one before it is told again.
    private static let silence = TimeAmount.seconds(60)
    private static let exhaustion = [EMFILE, ENFILE, ENOBUFS, ENOMEM]

    private let mayAccept: () -> Bool
    private let onPause: (_ isFirst: Bool) -> Void
    private var latest: NIODeadline?
    private var isPaused = false
    private var resumption: Scheduled<Void>?

    /// - Parameters:
    ///   - mayAccept: Asked before each attempt to accept; while it is false there is a pause.
    ///   - onPause: Called at the beginning of each pause, with true if there was none in the minute before.
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
        // Turning it off ends the registration for a read that is pending.
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

/// File descriptors that are held in order to be let go when there are no others.
///
/// Connections to the public listener could use up every descriptor of the process: the admin listener would accept
/// none, and the store could open no file. The public listener lets these go and accepts again only if it can have them
/// back.
final class SpareDescriptors: Sendable {
    private let count: Int
    private let held = Mutex<[Int32]>([])

    init(count: Int = 16) {
        self.count = count
        _ = take()
    }

    deinit { letGo() }

    /// Returns false, and holds none, if there are not as many to be had.
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

    func letGo() {
        held.withLock { Self.close(&$0) }
    }

    private static func close(_ held: inout [Int32]) {
        for descriptor in held { _ = Glibc.close(descriptor) }
        held = []
    }
}
