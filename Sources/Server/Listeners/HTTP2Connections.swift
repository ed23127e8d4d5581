internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP2
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP2

/// Connections with HTTP/2, whose streams are counted.
///
/// The channel of Hummingbird fixes the number of streams of a connection, and counts none.
struct HTTP2Connections: ServerChildChannel {
    typealias Stream = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    /// A connection, and its streams; `nil` for a stream that was refused.
    struct Value: ServerChildChannelValue {
        fileprivate let streams: NIOHTTP2Handler.AsyncStreamMultiplexer<Stream?>
        let channel: any Channel
    }

    let responder: HTTPChannelHandler.Responder
    let limits: ServerLimits
    let streams: Occupancy
    let refusals: RefusedConnections
    let maximumDrainedBytes: Int

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            // Ends the connection in two steps when the server shuts down (RFC 9113 §6.8).
            let manager = NIOHTTP2ServerConnectionManagementHandler(
                eventLoop: channel.eventLoop,
                configuration: .init(
                    maxIdleTime: nil, maxAge: nil, maxGraceTime: TimeAmount(limits.responseDeadline), keepalive: nil))
            let record = try pipeline.handler(type: ConnectionRecord.self)
            let connection = HTTP2Deadlines(limits, record, refusals, logger)
            let shared = NIOLoopBound(connection, eventLoop: channel.eventLoop)
            var configuration = NIOHTTP2Handler.Configuration()
            configuration.connection.initialSettings = [
                HTTP2Setting(parameter: .maxConcurrentStreams, value: limits.streamsOfConnection),
                // Wider than the limit of the listener, which refuses a request with a response; the decoder ends the connection.
                HTTP2Setting(parameter: .maxHeaderListSize, value: 2 * limits.headerBytes),
            ]
            let multiplexer = try pipeline.configureAsyncHTTP2Pipeline(
                mode: .server, streamDelegate: manager.http2StreamDelegate, frameDelegate: connection.frames,
                configuration: configuration
            ) { stream in
                stream.eventLoop.makeCompletedFuture { try open(stream, of: shared.value) }
            }
            try pipeline.addHandler(manager)
            try pipeline.addHandler(connection)
            return Value(streams: multiplexer, channel: channel)
        }
    }

    private func open(_ stream: any Channel, of connection: HTTP2Deadlines) throws -> Stream? {
        let pipeline = stream.pipeline.syncOperations
        try connection.add(stream)
        let occupant = Occupant(network: connection.record.network) { ConnectionRecord.close(stream) }
        guard streams.arrive() else {
            streams.depart()
            return try refuse(pipeline)
        }
        guard streams.enter(occupant) else {
            streams.leave(occupant)
            streams.depart()
            return try refuse(pipeline)
        }
        stream.closeFuture.whenComplete { [streams] _ in
            streams.leave(occupant)
            streams.depart()
        }
        try pipeline.addHandler(HTTP2FramePayloadToHTTPServerCodec())
        try pipeline.addHandler(HTTP2Rules())
        try pipeline.addHandler(SentResponses { connection.unsentStreams += $0 ? 1 : -1 })
        try pipeline.addHandler(
            ConnectionDeadlines(
                limits, maximumDrainedBytes: maximumDrainedBytes, isStream: true
            ) { [streams] isWorking in
                if isWorking {
                    streams.work(occupant)
                    connection.record.beginRequest()
                } else {
                    streams.wait(occupant)
                    connection.record.endRequest()
                }
            })
        return try Stream(wrappingChannelSynchronously: stream)
    }

    /// Tells the client that the request was not processed, so that it may repeat it (RFC 9113 §8.7).
    private func refuse(_ pipeline: ChannelPipeline.SynchronousOperations) throws -> Stream? {
        pipeline.writeAndFlush(NIOAny(HTTP2Frame.FramePayload.rstStream(.refusedStream)), promise: nil)
        return nil
    }

    func handle(value: Value, logger: Logger) async {
        // A stream has one request, after which it ends as a connection of HTTP/1.1 does.
        let exchanges = HTTP1Channel(responder: responder)
        do {
            try await withThrowingDiscardingTaskGroup { group in
                for try await stream in value.streams.inbound {
                    if let stream { group.addTask { await exchanges.handle(value: stream, logger: logger) } }
                }
            }
        } catch {
            logger.debug("a connection with HTTP/2 failed", metadata: ["error": "\(error)"])
        }
    }
}

/// Ends a connection with HTTP/2 on which no stream is open, or whose client takes none of its responses.
final class HTTP2Deadlines: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// Notes when a frame of a response is written.
    final class Frames: NIOHTTP2FrameDelegate {
        fileprivate var hasWritten = false

        func wroteFrame(_ frame: HTTP2Frame) {
            if frame.streamID != .rootStream { hasWritten = true }
        }
    }

    let record: ConnectionRecord
    let frames = Frames()
    /// The streams whose response waits for the client.
    var unsentStreams = 0 { didSet { update() } }
    private let idleDeadline: TimeAmount
    private let unreadDeadline: TimeAmount
    private let refusals: RefusedConnections
    private let logger: Logger
    private var hasFailed = false
    private var openStreams = 0
    private var lastStream = HTTP2StreamID.rootStream
    private var isEnding = false
    private var context: ChannelHandlerContext?
    private var phase: Phase?
    private var alarm: Scheduled<Void>?

    private enum Phase {
        /// The server works for a stream, or receives a body.
        case working
        /// No stream is open.
        case idle
        /// All streams wait for the client, which must grant a window, or read.
        case blocked
    }

    init(_ limits: ServerLimits, _ record: ConnectionRecord, _ refusals: RefusedConnections, _ logger: Logger) {
        self.record = record
        self.refusals = refusals
        self.logger = logger
        idleDeadline = TimeAmount(limits.headerDeadline)
        unreadDeadline = TimeAmount(limits.unreadDeadline)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        update()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        alarm?.cancel()
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        alarm?.cancel()
        self.context = nil
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent:
            isEnding = true
            if phase == .idle { setAlarm() }
        case ChannelEvent.inputClosed:
            context.close(promise: nil)
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The decoder names no other cause for a header that is longer than SETTINGS_MAX_HEADER_LIST_SIZE.
        let isOfFrame =
            error is NIOHTTP2Errors.UnableToParseFrame || error is NIOHTTP2Errors.ExcessivelyLargeHeaderBlock
        // What has arrived already can cause further errors after the first one.
        if isOfFrame, !hasFailed {
            hasFailed = true
            refusals.recordFrame(peer: context.channel.remoteAddress?.ipAddress ?? "unknown", logger)
        }
        context.close(promise: nil)
    }

    func add(_ stream: any Channel) throws {
        if let id = try stream.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID) { lastStream = id }
        openStreams += 1
        update()
        stream.closeFuture.assumeIsolated().whenComplete { [self] _ in
            openStreams -= 1
            update()
        }
    }

    private func update() {
        let now: Phase = openStreams == 0 ? .idle : unsentStreams >= openStreams ? .blocked : .working
        guard now != phase else { return }
        phase = now
        setAlarm()
    }

    private func setAlarm() {
        alarm?.cancel()
        guard let context else { return }
        frames.hasWritten = false
        let delay: TimeAmount
        switch phase {
        case .working, nil: return
        // The client has one second for a request that it sent before it knew of the end.
        case .idle: delay = isEnding ? .seconds(1) : idleDeadline
        case .blocked: delay = unreadDeadline
        }
        alarm = context.eventLoop.assumeIsolated().scheduleTask(in: delay) { [self] in
            guard phase == .blocked else { return end(.noError) }
            frames.hasWritten ? setAlarm() : end(.enhanceYourCalm)
        }
    }

    /// Tells the client which streams were processed (RFC 9113 §6.8), and closes the connection.
    private func end(_ reason: HTTP2ErrorCode) {
        guard let context else { return }
        let farewell = HTTP2Frame(
            streamID: .rootStream, payload: .goAway(lastStreamID: lastStream, errorCode: reason, opaqueData: nil))
        context.writeAndFlush(wrapOutboundOut(farewell), promise: nil)
        if reason == .noError { context.close(promise: nil) } else { ConnectionRecord.close(context.channel) }
    }
}
