internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import Synchronization
package import Transport

/// A client of a ``FrameServer``, with one connection, which it opens at the first question and again after its end.
package final class FrameClient: Sendable {
    /// The time from a question to its answer.
    private static let deadline = TimeAmount.seconds(3)

    private let path: String
    private let maximumCalls: Int
    private let state = Mutex(State())

    private struct State {
        var connection: Connection?
        var open = 0
        var number: UInt32 = 0
    }

    /// Creates the client; it opens no connection yet.
    ///
    /// - Parameter maximumCalls: The number of questions that may be open.
    package init(path: String, maximumCalls: Int) {
        self.path = path
        self.maximumCalls = maximumCalls
    }

    deinit {
        state.withLock { $0.connection }?.channel.whenSuccess { $0.close(promise: nil) }
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
        let connection = state.withLock { state in
            let connection = state.connection ?? connect()
            state.connection = connection
            return connection
        }
        do throws(FrameCallError) {
            return try await answer(to: question, on: connection)
        } catch {
            forget(connection)
            // A server that does not admit this process closes the connection without an answer to the question.
            guard error == .interrupted, let refusal = connection.refusal.message else { throw error }
            return refusal
        }
    }

    private func answer(
        to question: [UInt8], on connection: Connection
    ) async throws(FrameCallError) -> [UInt8] {
        let channel: any Channel
        do {
            channel = try await connection.channel.get()
        } catch {
            throw .unreachable(errno: (error as? IOError)?.errnoCode ?? EIO)
        }
        guard channel.isActive else { throw .interrupted }
        let number = state.withLock { state in
            state.number = state.number == .max ? Frame.refusalNumber + 1 : state.number + 1
            return state.number
        }
        let answer = channel.eventLoop.makePromise(of: [UInt8].self)
        let alarm = channel.eventLoop.scheduleTask(in: Self.deadline) {
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
            throw error as? FrameCallError ?? .interrupted
        }
    }

    private func forget(_ connection: Connection) {
        state.withLock { state in
            if state.connection?.channel === connection.channel { state.connection = nil }
        }
    }

    private func connect() -> Connection {
        let refusal = Refusal()
        let channel = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(1))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(ByteToMessageHandler(FrameDecoder(maximumBytes: Frame.maximumAnswerBytes)))
                    try pipeline.addHandler(MessageToByteHandler(FrameEncoder()))
                    try pipeline.addHandler(OpenQuestions(refusal))
                }
            }
            .connect(unixDomainSocketPath: path)
        return Connection(channel: channel, refusal: refusal)
    }
}

private struct Connection: Sendable {
    let channel: EventLoopFuture<any Channel>
    let refusal: Refusal
}

/// The message of a server that has not admitted this process.
private final class Refusal: Sendable {
    private let state = Mutex<[UInt8]?>(nil)

    /// `nil` until the message arrives.
    var message: [UInt8]? { state.withLock { $0 } }

    func receive(_ message: [UInt8]) { state.withLock { $0 = message } }
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

    private let refusal: Refusal
    private var open: [UInt32: EventLoopPromise<[UInt8]>] = [:]

    init(_ refusal: Refusal) {
        self.refusal = refusal
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let question = unwrapOutboundIn(data)
        open[question.frame.number] = question.answer
        context.write(wrapOutboundOut(question.frame), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let answer = unwrapInboundIn(data)
        guard answer.number != Frame.refusalNumber else {
            refusal.receive(answer.body)
            context.close(promise: nil)
            return
        }
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
