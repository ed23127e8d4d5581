internal import Dispatch

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A socket that does not block, is not inherited by other programs, and is closed with its last reference.
final class Descriptor: Sendable {
    /// What a task waits for.
    enum Event { case readable, writable }

    let number: Int32

    /// Takes over a socket.
    ///
    /// - Parameter number: The result of a system call, which may have failed.
    /// - Throws: ``LoopbackError/system(_:)``.
    init(_ number: Int32) throws(LoopbackError) {
        try Self.check(number)
        self.number = number
        try Self.check(fcntl(number, F_SETFD, FD_CLOEXEC))
        try Self.check(fcntl(number, F_SETFL, O_NONBLOCK))
        #if canImport(Darwin)
            var isOn: Int32 = 1
            try Self.check(
                unsafe setsockopt(number, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size)))
        #endif
    }

    deinit {
        close(number)
    }

    /// Throws the error of a system call that returned a negative number.
    static func check(_ result: Int32) throws(LoopbackError) {
        guard result >= 0 else { throw .system(errno) }
    }

    /// Returns the socket of the next connection, or a negative number and `errno`, as accept(2) does.
    func acceptedConnection() -> Int32 {
        accept(number, nil, nil)
    }

    /// Waits until the socket is ready.
    ///
    /// - Throws: ``LoopbackError/cancelled``.
    func wait(for event: Event) async throws(LoopbackError) {
        let source: any DispatchSourceProtocol =
            switch event {
            case .readable: DispatchSource.makeReadSource(fileDescriptor: number, queue: Self.queue)
            case .writable: DispatchSource.makeWriteSource(fileDescriptor: number, queue: Self.queue)
            }
        let waiting = Waiting(source: source)
        await withTaskCancellationHandler {
            // The handler of the cancellation runs once, after the last event. The socket may be closed only then.
            await withCheckedContinuation { continuation in
                source.setEventHandler { waiting.source.cancel() }
                source.setCancelHandler { continuation.resume() }
                source.activate()
            }
        } onCancel: {
            waiting.source.cancel()
        }
        guard !Task.isCancelled else { throw .cancelled }
    }

    private static let queue = DispatchQueue(label: "loopback")

    // A browser that hangs up must not end the program by SIGPIPE.
    #if canImport(Darwin)
        static let sendFlags: Int32 = 0
    #else
        static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif

    #if canImport(Darwin) || canImport(Musl)
        static let writeSide = SHUT_WR
    #else
        static let writeSide = Int32(SHUT_WR)
    #endif
}

/// A source of events that any thread may cancel: dispatch_source_cancel(3) is safe to call concurrently.
private struct Waiting: @unchecked Sendable {
    let source: any DispatchSourceProtocol
}
