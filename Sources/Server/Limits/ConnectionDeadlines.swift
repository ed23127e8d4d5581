internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Closes a connection whose request header, request body or response takes too long.
///
/// The idle timeout of Hummingbird starts again with every received part, and Hummingbird reads the rest of a refused
/// body without limit, whatever the `Connection` field of the response says. This handler always has one deadline: for
/// the header of the next request, for the end of its body, or for the end of the response, which a client could delay
/// forever by not reading. It also limits the total size of a body, and ends a connection of HTTP/1.1 whose request has
/// its response before its body was received, because the rest would be received for nothing. To a client of HTTP/1.1
/// that waits for the status 100 before it sends its body, it sends that status (RFC 9110 §10.1.1).
///
/// ```
/// idle ──header──▶ receiving ──end──▶ responding ──end of response──▶ idle
/// ```
final class ConnectionDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let headerDeadline: TimeAmount
    private let proxyIdleDeadline: TimeAmount
    private let bodyDeadline: TimeAmount
    private let responseDeadline: TimeAmount
    private let bodyBytes: Int
    private let maximumDrainedBytes: Int
    private let isStream: Bool
    private let onWork: ((_ isWorking: Bool) -> Void)?
    private var record: ConnectionRecord?
    private var isWorking = false
    private var deadline = NIODeadline.distantFuture
    private var alarm: (time: NIODeadline, task: Scheduled<Void>)?
    private var receivedBytes = 0
    private var isReceiving = false
    /// Requests without a complete response; more than one if the client pipelines requests.
    private var outstanding = 0
    private var isLast = false
    private var isLingering = false
    /// Whether a request has its response before its body, the rest of which is dropped.
    private var isAnsweredEarly = false
    private var isOverfull: Bool { receivedBytes > maximumDrainedBytes }

    /// Creates the handler of a connection.
    ///
    /// - Parameters:
    ///   - maximumDrainedBytes: The number of body bytes above which the handler stops reading, and closes the
    ///     connection after the response. It exceeds the body limit, so that a client that sends slightly too much can
    ///     still read the error response.
    ///   - isStream: Whether the channel is a stream of HTTP/2.
    ///   - onWork: Called when the server begins to work for a request, and when it waits for its client again; `nil` for the
    ///     record of the connection.
    init(
        _ limits: ServerLimits, maximumDrainedBytes: Int, isStream: Bool = false,
        onWork: ((_ isWorking: Bool) -> Void)? = nil
    ) {
        headerDeadline = TimeAmount(limits.headerDeadline)
        proxyIdleDeadline = TimeAmount(limits.proxyIdleDeadline)
        bodyDeadline = TimeAmount(limits.bodyDeadline)
        responseDeadline = TimeAmount(limits.responseDeadline)
        bodyBytes = limits.bodyBytes
        self.maximumDrainedBytes = maximumDrainedBytes
        self.isStream = isStream
        self.onWork = onWork
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if onWork == nil { record = try? context.pipeline.syncOperations.handler(type: ConnectionRecord.self) }
        setAlarm(headerDeadline, context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        alarm?.task.cancel()
        work(false)
    }

    func channelInactive(context: ChannelHandlerContext) {
        alarm?.task.cancel()
        work(false)
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let isDropped = isAnsweredEarly
        switch unwrapInboundIn(data) {
        case .head(let head):
            (isReceiving, receivedBytes) = (true, 0)
            outstanding += 1
            // A pipelined request does not extend the deadline of the response before it.
            if outstanding == 1 {
                setAlarm(bodyDeadline, context)
                if awaitsContinue(head) {
                    context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
                }
            }
        case .body(let bytes):
            receivedBytes += bytes.readableBytes
            if isOverfull, outstanding == 0, !isLingering { linger(context) }
        case .end:
            isReceiving = false
            if outstanding > 0 { work(true) }
            if isLast || isOverfull { break }
            if outstanding <= 1 { setAlarm(outstanding == 0 ? headerDeadline : responseDeadline, context) }
        }
        if !isDropped { context.fireChannelRead(data) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            if isReceiving, !isStream, head.status.kind != .informational {
                head.headerFields[.connection] = "close"
                isAnsweredEarly = true
            }
            isLast = head.headerFields[.connection] == "close"
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            outstanding -= 1
            context.write(data, promise: promise)
            if isLast || isOverfull {
                linger(context)
            } else if outstanding > 0 {
                setAlarm(responseDeadline, context)
            } else {
                // Only a connection of a trusted proxy has a record without a network.
                let isOfProxy = record.map { $0.network == nil } ?? false
                setAlarm(isReceiving ? bodyDeadline : isOfProxy ? proxyIdleDeadline : headerDeadline, context)
            }
        }
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        // Whatever is not sent now waits for the client.
        if outstanding == 0 || !context.channel.isWritable { work(false) }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        // The response is ready, and is written when the client has read what was written before.
        if event is ConcurrencyLimit.Place, !context.channel.isWritable { work(false) }
        context.triggerUserOutboundEvent(event, promise: promise)
    }

    /// Stops reading once the body is too large.
    func read(context: ChannelHandlerContext) {
        guard !isOverfull else { return }
        context.read()
    }

    /// Whether a client waits for the status 100 before a body that it does not announce as too large.
    private func awaitsContinue(_ head: HTTPRequest) -> Bool {
        let announced = head.headerFields[.contentLength].flatMap { Int($0) } ?? 0
        return !isStream && announced <= bodyBytes && head.headerFields[.expect]?.lowercased() == "100-continue"
    }

    private func work(_ begins: Bool) {
        guard begins != isWorking else { return }
        isWorking = begins
        if let onWork { onWork(begins) } else if begins { record?.beginRequest() } else { record?.endRequest() }
    }

    /// Closes the sending side and gives the client one second to read the response.
    ///
    /// Closing both sides while the client still sends would reset the connection, and the response could be lost (RFC
    /// 9112 §9.6).
    private func linger(_ context: ChannelHandlerContext) {
        isLingering = true
        context.flush()
        context.close(mode: .output, promise: nil)
        setAlarm(.seconds(1), context)
    }

    /// Sets the deadline to `delay` from now.
    ///
    /// An alarm that is due before the deadline is kept and rescheduled when it fires. Most deadlines are extended
    /// before that, which saves cancelling and scheduling for each request.
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
