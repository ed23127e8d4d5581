internal import NIOCore
internal import NIOHTTPTypes

/// Keeps the place of a request until the last octet of its response is sent.
///
/// The responder triggers the place as an event before it returns the response. What is written waits in the process as long
/// as the client does not read: for the window of its stream in HTTP/2, or for the socket.
final class SentResponses: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart

    /// The places of responses that are not written yet, in their order.
    private var unwritten = CircularBuffer<ConcurrencyLimit.Place>(initialCapacity: 1)
    /// The places of responses that are written and not sent yet.
    private var unsent = CircularBuffer<ConcurrencyLimit.Place>(initialCapacity: 1)
    private let onChange: (_ hasUnsent: Bool) -> Void
    private var occupant: Occupant?
    private var offered: ConcurrencyLimit.Place?

    /// Creates the handler.
    ///
    /// - Parameter onChange: Called when the first response begins to wait for its client, and when none waits any more.
    init(onChange: @escaping (_ hasUnsent: Bool) -> Void = { _ in }) {
        self.onChange = onChange
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        occupant = Occupant(network: nil) { ConnectionRecord.close(channel) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        unwritten = CircularBuffer(initialCapacity: 0)
        unsent = CircularBuffer(initialCapacity: 0)
        update(context.channel)
        occupant = nil
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let place = event as? ConcurrencyLimit.Place else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        unwritten.append(place)
        update(context.channel)
        promise?.succeed()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // The library itself responds to what is not HTTP, without a place.
        guard case .end = unwrapOutboundIn(data), let place = unwritten.popFirst()
        else { return context.write(data, promise: promise) }
        unsent.append(place)
        let sent = promise ?? context.eventLoop.makePromise()
        let channel = context.channel
        sent.futureResult.assumeIsolated().whenComplete { [self] _ in
            _ = unsent.popFirst()
            update(channel)
        }
        context.write(data, promise: sent)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        update(context.channel)
    }

    /// Offers the place of the first response that waits for the client, or ends the offer.
    private func update(_ channel: any Channel) {
        guard let occupant else { return }
        let isWaiting = !unsent.isEmpty || (!unwritten.isEmpty && !channel.isWritable)
        if isWaiting, offered == nil, let place = unsent.first ?? unwritten.first {
            place.offer(occupant)
            offered = place
            onChange(true)
        } else if !isWaiting, let offered {
            offered.keep(occupant)
            self.offered = nil
            onChange(false)
        }
    }
}
