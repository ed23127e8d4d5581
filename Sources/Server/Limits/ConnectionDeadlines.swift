internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Closes a connection whose next request does not arrive in time, or whose body does not end.
///
/// Hummingbird's idle timeout starts again with every part that trickles in, and it reads what is left of a refused body
/// without limit, whatever the answer's `Connection` field says. This clock runs from the end of one answer to the end of
/// the next request's header, and from there to the end of its body; it also counts the body.
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
    private let maximumDrainedBytes: Int
    private var alarm: Scheduled<Void>?
    private var receivedBytes = 0
    private var isReceiving = false
    private var isAnswered = true
    private var isLast = false
    private var isLingering = false
    private var isOverfull: Bool { receivedBytes > maximumDrainedBytes }

    /// - `maximumDrainedBytes`: what a body may hold in all before the connection is cut.
    ///
    /// More than the body limit, so that a client that sends a little too much can still read why it is refused.
    init(headerDeadline: Duration, bodyDeadline: Duration, maximumDrainedBytes: Int) {
        self.headerDeadline = TimeAmount(headerDeadline)
        self.bodyDeadline = TimeAmount(bodyDeadline)
        self.maximumDrainedBytes = maximumDrainedBytes
    }

    func handlerAdded(context: ChannelHandlerContext) {
        setAlarm(headerDeadline, context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        alarm?.cancel()
    }

    func channelInactive(context: ChannelHandlerContext) {
        alarm?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            (isReceiving, isAnswered, receivedBytes) = (true, false, 0)
            setAlarm(bodyDeadline, context)
        case .body(let bytes):
            receivedBytes += bytes.readableBytes
            if isOverfull, isAnswered, !isLingering { linger(context) }
        case .end:
            isReceiving = false
            if isLast || isOverfull { break }
            alarm?.cancel()
            if isAnswered { setAlarm(headerDeadline, context) }
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
            isAnswered = true
            context.write(data, promise: promise)
            if isLast || isOverfull {
                linger(context)
            } else if !isReceiving {
                setAlarm(headerDeadline, context)
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

    private func setAlarm(_ delay: TimeAmount, _ context: ChannelHandlerContext) {
        alarm?.cancel()
        let channel = context.channel
        alarm = context.eventLoop.scheduleTask(in: delay) {
            channel.close(promise: nil)
        }
    }
}
