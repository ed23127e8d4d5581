internal import NIOCore
internal import NIOPosix

/// Answers questions on a Unix socket.
package struct FrameServer: Sendable {
    // The clients are processes of this machine.
    private static let connections = 64
    /// Questions of one connection that are answered at the same time; further ones are not read yet.
    private static let questionsPerConnection = 256
    /// The time without a byte after which a connection is closed; a client opens another one.
    private static let idle = Duration.seconds(60)

    private let refusal: @Sendable (LocalPeer) -> [UInt8]?
    private let answer: @Sendable (LocalPeer, [UInt8]) async -> Answer
    private let onFault: @Sendable (LocalPeer, FrameFault) -> Void

    /// The answer to a question.
    package struct Answer: Sendable {
        package let body: [UInt8]
        /// Whether the connection is closed after the answer.
        package let isLast: Bool

        package init(_ body: [UInt8], isLast: Bool) {
            self.body = body
            self.isLast = isLast
        }
    }

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - refusal: Returns the message for a peer that is not admitted; `nil` admits it. The peer gets the message
    ///     without a question, and its connection does not count as one of the limit.
    ///   - onFault: Receives each connection that is closed because of its peer or of what it sent.
    ///   - answer: Answers the question of a peer, in at most ``Frame/maximumAnswerBytes``.
    package init(
        refusal: @escaping @Sendable (LocalPeer) -> [UInt8]?,
        onFault: @escaping @Sendable (LocalPeer, FrameFault) -> Void,
        answer: @escaping @Sendable (LocalPeer, [UInt8]) async -> Answer
    ) {
        self.refusal = refusal
        self.onFault = onFault
        self.answer = answer
    }

    /// Listens until the task is cancelled.
    ///
    /// - Parameter isListening: Called once connections are accepted.
    /// - Throws: An error of the listener.
    package func run(on socket: ListeningSocket, isListening: () -> Void) async throws {
        let idle = TimeAmount(Self.idle)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 64)
            .bind(socket.descriptor) { channel in
                LocalPeer.of(channel).flatMapThrowing { peer -> Connection? in
                    let pipeline = channel.pipeline.syncOperations
                    if let message = refusal(peer) {
                        try channel.syncOptions?.setOption(.autoRead, value: false)
                        try pipeline.addHandler(RefusedConnection(message))
                        onFault(peer, .notAdmitted)
                        return nil
                    }
                    try pipeline.addHandler(IdleStateHandler(readTimeout: idle))
                    try pipeline.addHandler(IdleConnection())
                    try pipeline.addHandler(ByteToMessageHandler(FrameDecoder(maximumBytes: Frame.maximumBytes)))
                    try pipeline.addHandler(MessageToByteHandler(FrameEncoder()))
                    // Nothing is read before the connection is served.
                    try channel.syncOptions?.setOption(.autoRead, value: false)
                    return Connection(peer: peer, channel: channel)
                }
            }
        isListening()
        try await withThrowingTaskGroup(of: Void.self) { group in
            try await listener.executeThenClose { connections in
                var open = 0
                for try await connection in connections {
                    guard let connection else { continue }
                    // A connection over the limit waits, since the clients are few and keep theirs open.
                    while open >= Self.connections, (try await group.next()) != nil { open -= 1 }
                    open += 1
                    group.addTask { await serve(connection) }
                }
            }
        }
    }

    private struct Connection: Sendable {
        let peer: LocalPeer
        let channel: any Channel

        /// Makes the sequence of frames, and starts to read.
        ///
        /// A process traps if this sequence is released without having been closed. A connection that is still waiting when
        /// the listener ends has none.
        func frames() async throws -> NIOAsyncChannel<Frame, Frame> {
            try await channel.eventLoop.submit {
                guard channel.isActive else { throw ChannelError.ioOnClosedChannel }
                let frames = try NIOAsyncChannel<Frame, Frame>(wrappingChannelSynchronously: channel)
                try channel.syncOptions?.setOption(.autoRead, value: true)
                return frames
            }.get()
        }
    }

    private func serve(_ connection: Connection) async {
        do {
            try await connection.frames().executeThenClose { questions, answers in
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    var open = 0
                    for try await question in questions {
                        while open >= Self.questionsPerConnection, let isLast = try await group.next() {
                            if isLast { return }
                            open -= 1
                        }
                        open += 1
                        group.addTask {
                            let answer = await answer(connection.peer, question.body)
                            try await answers.write(Frame(number: question.number, body: answer.body))
                            if answer.isLast { try? await connection.channel.close() }
                            return answer.isLast
                        }
                    }
                    try await group.waitForAll()
                }
            }
        } catch let fault as FrameFault {
            onFault(connection.peer, fault)
        } catch {
            // The peer has closed its connection, or the server ends.
        }
    }
}

/// Sends its message to a peer that was not admitted, and closes the connection without reading from it.
private final class RefusedConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let message: [UInt8]

    init(_ message: [UInt8]) {
        self.message = message
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        var buffer = channel.allocator.buffer(capacity: 0)
        FrameEncoder().encode(data: Frame(number: Frame.refusalNumber, body: message), out: &buffer)
        // The message fits in the empty buffer of the socket, so that the peer cannot delay the end.
        context.writeAndFlush(wrapOutboundOut(buffer)).whenComplete { _ in channel.close(promise: nil) }
    }
}

/// Closes a connection that was idle for too long.
final class IdleConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}
