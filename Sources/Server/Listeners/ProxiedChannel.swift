internal import HummingbirdCore
internal import Logging
internal import NIOCore

/// The client of the connection of the current task, as a trusted proxy named it.
enum ProxiedClient {
    /// The text of the address; `nil` if the peer of the connection is the client.
    @TaskLocal static var address: String?
}

/// A connection from a trusted proxy, which names its client in a header of the PROXY protocol before all other octets.
///
/// Any other peer is disconnected before its octets are interpreted. It could name any address, and so avoid its own limits
/// or use up those that belong to another client.
struct ProxiedChannel<Base: ServerChildChannel>: ServerChildChannel {
    /// A connection, and what its header will say.
    struct Value: ServerChildChannelValue {
        fileprivate let introduction: EventLoopFuture<Introduction>
        let channel: any Channel
    }

    fileprivate struct Introduction: Sendable {
        let client: String?
        let connection: Base.Value
    }

    /// Handles the connection after its header.
    let base: Base
    /// Knows the trusted proxies.
    let addresses: ClientAddress
    /// The time from the start of a connection to the end of its header.
    let deadline: Duration
    /// Counts and reports connections without a valid header.
    let refusals: RefusedConnections

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let introduction = channel.eventLoop.makePromise(of: Introduction.self)
        let value = Value(introduction: introduction.futureResult, channel: channel)
        let peer = channel.remoteAddress?.ipAddress
        guard addresses.isTrusted(peer) else {
            // The system does not know the peer of a connection that was reset, as a health check of a proxy may end.
            if let peer { refusals.record(.untrustedPeer, peer: peer, logger) }
            introduction.fail(ProxyHeaderError.untrustedPeer)
            return channel.eventLoop.makeSucceededFuture(value)
        }
        let reader = ProxyHeaderReader(deadline: TimeAmount(deadline), introduction) { [base, addresses] header in
            if let client = header.client.map(IPAddressText.write) {
                let record = try? channel.pipeline.syncOperations.handler(type: ConnectionRecord.self)
                record?.enter(addresses.network(counting: client))
            }
            return base.setup(channel: channel, logger: logger).map {
                Introduction(client: header.client.map(IPAddressText.write), connection: $0)
            }
        } onRefusal: { [refusals] error, first in
            refusals.record(error, first: first, peer: peer ?? "unknown", logger)
        }
        return channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(reader)
            return value
        }
    }

    func handle(value: Value, logger: Logger) async {
        do {
            let introduction = try await value.introduction.get()
            await ProxiedClient.$address.withValue(introduction.client) {
                await base.handle(value: introduction.connection, logger: logger)
            }
        } catch {
            try? await value.channel.close()
        }
    }
}

/// Reads the header of a connection, adds the handlers of the connection behind itself, and leaves the pipeline.
private final class ProxyHeaderReader<Introduction: Sendable>: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let deadline: TimeAmount
    private let introduction: EventLoopPromise<Introduction>
    private let proceed: (ProxyHeader) -> EventLoopFuture<Introduction>
    private let onRefusal: (ProxyHeaderError, _ first: UInt8) -> Void
    private var received = ByteBuffer()
    private var alarm: Scheduled<Void>?
    /// Whether the header was read, or cannot be read any more.
    private var isDone = false

    init(
        deadline: TimeAmount, _ introduction: EventLoopPromise<Introduction>,
        proceed: @escaping (ProxyHeader) -> EventLoopFuture<Introduction>,
        onRefusal: @escaping (ProxyHeaderError, _ first: UInt8) -> Void
    ) {
        self.deadline = deadline
        self.introduction = introduction
        self.proceed = proceed
        self.onRefusal = onRefusal
    }

    func handlerAdded(context: ChannelHandlerContext) {
        alarm = context.eventLoop.assumeIsolated().scheduleTask(in: deadline) { [self] in
            refuse(.incomplete, context)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        refuse(.incomplete, context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        received.writeBuffer(&part)
        guard !isDone else { return }
        do throws(ProxyHeaderError) {
            let octets = Array(received.readableBytesView.prefix(ProxyHeader.maximumLength))
            guard let header = try ProxyHeader.parse(octets) else { return }
            received.moveReaderIndex(forwardBy: header.length)
            introduce(header, context)
        } catch {
            refuse(error, context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The other side sends no more octets.
        if case .inputClosed? = event as? ChannelEvent { refuse(.incomplete, context) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        refuse(.incomplete, context)
        context.fireChannelInactive()
    }

    private func introduce(_ header: ProxyHeader, _ context: ChannelHandlerContext) {
        isDone = true
        alarm?.cancel()
        proceed(header).assumeIsolated().whenComplete { [self] result in
            introduction.completeWith(result)
            guard case .success = result else { return context.close(promise: nil) }
            if received.readableBytes > 0 {
                context.fireChannelRead(wrapInboundOut(received))
                context.fireChannelReadComplete()
            }
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        }
    }

    private func refuse(_ error: ProxyHeaderError, _ context: ChannelHandlerContext) {
        guard !isDone else { return }
        isDone = true
        alarm?.cancel()
        // A proxy that only checks whether the port is open sends nothing.
        if let first = received.readableBytesView.first { onRefusal(error, first) }
        introduction.fail(error)
        context.close(promise: nil)
    }
}
