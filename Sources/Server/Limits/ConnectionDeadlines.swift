internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Closes a connection whose next request does not arrive in time, or whose body does not end.
///
/// Hummingbird's idle timeout starts again with every part that trickles in, and it reads what is left of a refused body
/// without limit, whatever the answer's `Connection` field says. Here one alarm is always set: for the next request's
/// header, for the end of its body, or for the end of its answer, which a client that does not read would put off for
/// ever. The body is counted as well.
///
/// ```
/// idle ──header──▶ receiving ──end──▶ answering ──end of answer──▶ idle
/// ```
final class ConnectionDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let headerDeadline: TimeAmount
    private let bodyDeadline: TimeAmount
    private let answerDeadline: TimeAmount
    private let maximumDrainedBytes: Int
    private var deadline = NIODeadline.distantFuture
    private var alarm: (time: NIODeadline, task: Scheduled<Void>)?
    private var receivedBytes = 0
    private var isReceiving = false
    /// Requests whose answer has not been written to its end; more than one where they are pipelined.
    private var outstanding = 0
    private var isLast = false
    private var isLingering = false
    private var isOverfull: Bool { receivedBytes > maximumDrainedBytes }

    /// - `maximumDrainedBytes`: what a body may hold in all before the connection is cut.
    ///
    /// More than the body limit, so that a client that sends a little too much can still read why it is refused.
    init(_ limits: ServerLimits, maximumDrainedBytes: Int) {
        headerDeadline = TimeAmount(limits.headerDeadline)
        bodyDeadline = TimeAmount(limits.bodyDeadline)
        answerDeadline = TimeAmount(limits.answerDeadline)
        self.maximumDrainedBytes = maximumDrainedBytes
    }

    func handlerAdded(context: ChannelHandlerContext) {
        setAlarm(headerDeadline, context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        alarm?.task.cancel()
    }

    func channelInactive(context: ChannelHandlerContext) {
        alarm?.task.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            (isReceiving, receivedBytes) = (true, 0)
            outstanding += 1
            // A pipelined request does not put off the alarm of the answer before it.
            if outstanding == 1 { setAlarm(bodyDeadline, context) }
        case .body(let bytes):
            receivedBytes += bytes.readableBytes
            if isOverfull, outstanding == 0, !isLingering { linger(context) }
        case .end:
            isReceiving = false
            if isLast || isOverfull { break }
            if outstanding <= 1 { setAlarm(outstanding == 0 ? headerDeadline : answerDeadline, context) }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            isLast = head.headerFields[.connection] == "close"
            context.write(data, promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            outstanding -= 1
            context.write(data, promise: promise)
            if isLast || isOverfull {
                linger(context)
            } else if outstanding > 0 {
                setAlarm(answerDeadline, context)
            } else {
                setAlarm(isReceiving ? bodyDeadline : headerDeadline, context)
            }
        }
    }

    /// What is too much stays where it is: a connection that is closed over unread bytes is reset, and the answer with it.
    func read(context: ChannelHandlerContext) {
        guard !isOverfull else { return }
        context.read()
    }

    /// Says that nothing more comes, and gives the client a second to read it: a connection that is cut while it is still
    /// sending would lose the answer (RFC 9112 §9.6).
    private func linger(_ context: ChannelHandlerContext) {
        isLingering = true
        context.flush()
        context.close(mode: .output, promise: nil)
        setAlarm(.seconds(1), context)
    }

    /// An alarm that rings before the deadline stays, and is set again when it rings: most deadlines are put off long
    /// before.
    private func setAlarm(_ delay: TimeAmount, _ context: ChannelHandlerContext) {
        deadline = context.eventLoop.now + delay
        if let alarm, alarm.time <= deadline { return }
        alarm?.task.cancel()
        scheduleAlarm(context.channel)
    }

    private func scheduleAlarm(_ channel: any Channel) {
        let task = channel.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [self] in
            if channel.eventLoop.now < deadline {
                scheduleAlarm(channel)
            } else {
                channel.close(promise: nil)
            }
        }
        alarm = (deadline, task)
    }
}
