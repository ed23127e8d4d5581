internal import NIOCore

/// One connection to the server.
///
/// It processes one sequence of requests at a time.
final class ClientConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private weak var load: Load?
    private var context: ChannelHandlerContext?
    private var reader = AnswerReader()
    private var sequence: (any RequestSequence)?
    private var due = NIODeadline.now()

    init(_ load: Load) {
        self.load = load
    }

    /// Sends the first request of a sequence.
    ///
    /// `due` is the time at which it should have been sent.
    func begin(_ sequence: any RequestSequence, due: NIODeadline) {
        self.sequence = sequence
        self.due = due
        goOn(after: nil)
    }

    func close() {
        context?.close(promise: nil)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        reader.append(&bytes)
        do {
            while let answer = try reader.next() { goOn(after: answer) }
        } catch {
            context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        if sequence != nil {
            sequence = nil
            load?.ended(status: 0, body: nil, due: due)
        }
        load?.lost(self)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func goOn(after answer: Answer?) {
        if let request = sequence?.request(after: answer) {
            context?.writeAndFlush(wrapOutboundOut(request), promise: nil)
        } else if let answer, sequence != nil {
            sequence = nil
            load?.ended(status: answer.status, body: answer.body, due: due)
            if answer.isLast { close() } else { load?.isFree(self) }
        }
    }
}
