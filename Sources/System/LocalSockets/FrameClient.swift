internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import Synchronization
package import Transport

/// A client of a ``FrameServer``, with one connection, which it opens at the first question and again after its end.
package final class FrameClient: Sendable {
    private let path: String
    private let maximumCalls: Int
    private let deadline: TimeAmount
    private let state = Mutex(State())

    private struct State {
        var connection: EventLoopFuture<any Channel>?
        var open = 0
        var number: UInt32 = 0
    }

    /// Creates the client; it opens no connection yet.
    ///
    /// - Parameters:
    ///   - path: The path of the socket.
    ///   - maximumCalls: The number of questions that may be open.
    ///   - deadline: The time from a question to its answer.
    package init(path: String, maximumCalls: Int, deadline: Duration = .seconds(3)) {
        self.path = path
        self.maximumCalls = maximumCalls
        self.deadline = TimeAmount(deadline)
    }

    deinit {
        state.withLock { $0.connection }?.whenSuccess { $0.close(promise: nil) }
    }

    /// The questions of this client.
    package var calls: FrameCalls {
        FrameCalls(isFull: { self.isFull }) { question async throws(FrameCallError) in try await self.ask(question) }
    }

    private var isFull: Bool { state.withLock { $0.open >= maximumCalls } }

    /// Sends a question.
    ///
    /// It is sent twice if the connection ends before the answer, since the server closes idle connections and may have
    /// been restarted. A question must therefore be one that may be repeated.
    private func ask(_ question: [UInt8]) async throws(FrameCallError) -> [UInt8] {
        guard question.count <= Frame.maximumBytes else { throw .tooLarge }
        let isAdmitted = state.withLock { state in
            guard state.open < maximumCalls else { return false }
            state.open += 1
            return true
        }
        guard isAdmitted else { throw .overloaded }
        defer { state.withLock { $0.open -= 1 } }
        do {
            return try await attempt(question)
        } catch .interrupted {
            return try await attempt(question)
        }
    }

    private func attempt(_ question: [UInt8]) async throws(FrameCallError) -> [UInt8] {
        let (connection, channel) = try await connected()
        let number = state.withLock { state in
            state.number &+= 1
            return state.number
        }
        let answer = channel.eventLoop.makePromise(of: [UInt8].self)
        let alarm = channel.eventLoop.scheduleTask(in: deadline) {
            answer.fail(FrameCallError.timedOut)
            // A server that does not answer one question answers no other either.
            channel.close(promise: nil)
        }
        answer.futureResult.whenComplete { _ in alarm.cancel() }
        channel.writeAndFlush(OpenQuestion(frame: Frame(number: number, body: question), answer: answer))
            .whenFailure { _ in answer.fail(FrameCallError.interrupted) }
        do {
            return try await answer.futureResult.get()
        } catch {
            forget(connection)
            throw error as? FrameCallError ?? .interrupted
        }
    }

    /// The open connection, or a new one.
    private func connected() async throws(FrameCallError) -> (EventLoopFuture<any Channel>, any Channel) {
        let connection = state.withLock { state in
            if let connection = state.connection { return connection }
            let connection = connect()
            state.connection = connection
            return connection
        }
        do {
            let channel = try await connection.get()
            if channel.isActive { return (connection, channel) }
        } catch {
            forget(connection)
            throw .unreachable(errno: (error as? IOError)?.errnoCode ?? EIO)
        }
        forget(connection)
        throw .interrupted
    }

    private func forget(_ connection: EventLoopFuture<any Channel>) {
        state.withLock { state in
            if state.connection === connection { state.connection = nil }
        }
    }

    private func connect() -> EventLoopFuture<any Channel> {
        ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(1))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(ByteToMessageHandler(FrameDecoder(maximumBytes: Frame.maximumAnswerBytes)))
                    try pipeline.addHandler(MessageToByteHandler(FrameEncoder()))
                    try pipeline.addHandler(OpenQuestions())
                }
            }
            .connect(unixDomainSocketPath: path)
    }
}

/// A question, and the promise of its answer.
private struct OpenQuestion: Sendable {
    let frame: Frame
    let answer: EventLoopPromise<[UInt8]>
}

/// Gives each answer to the question with its number.
private final class OpenQuestions: ChannelDuplexHandler {
    typealias InboundIn = Frame
    typealias OutboundIn = OpenQuestion
    typealias OutboundOut = Frame

    private var open: [UInt32: EventLoopPromise<[UInt8]>] = [:]

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let question = unwrapOutboundIn(data)
        open[question.frame.number] = question.answer
        context.write(wrapOutboundOut(question.frame), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let answer = unwrapInboundIn(data)
        open.removeValue(forKey: answer.number)?.succeed(answer.body)
    }

    func channelInactive(context: ChannelHandlerContext) {
        failAll()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        failAll()
        context.close(promise: nil)
    }

    private func failAll() {
        let all = open
        open = [:]
        for answer in all.values { answer.fail(FrameCallError.interrupted) }
    }
}
