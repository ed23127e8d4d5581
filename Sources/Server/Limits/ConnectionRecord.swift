internal import HummingbirdCore
internal import Logging
internal import NIOCore

/// What is known about a connection: against which network it counts, and whether the server works for it or waits for it.
///
/// It is the first handler of the pipeline, so that it can close the connection without the farewell of TLS, for which a
/// client may let the server wait.
final class ConnectionRecord: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let connections: Occupancy
    private let channel: any Channel
    private var occupant: Occupant
    /// The network of the client; `nil` for a trusted proxy.
    var network: String? { occupant.network }
    private var isGone = false
    /// The number of requests for which the server works.
    private var requests = 0

    fileprivate init(_ connections: Occupancy, _ channel: any Channel, network: ClientNetwork?) {
        self.connections = connections
        self.channel = channel
        occupant = Self.occupant(channel, network)
    }

    private static func occupant(_ channel: any Channel, _ network: ClientNetwork?) -> Occupant {
        Occupant(network: network?.name, shown: network?.shown) { close(channel) }
    }

    /// Closes a connection or a stream of HTTP/2, without waiting for its client.
    static func close(_ channel: any Channel) {
        channel.eventLoop.execute {
            let first = try? channel.pipeline.syncOperations.context(handlerType: ConnectionRecord.self)
            first?.close(promise: nil) ?? channel.close(promise: nil)
        }
    }

    /// Counts the connection against its network, and closes it if there are too many of that network.
    fileprivate func enter() {
        if !connections.enter(occupant) { Self.close(channel) }
    }

    /// Counts the connection against the network of the client that a proxy named.
    func enter(_ network: ClientNetwork?) {
        guard !isGone else { return }
        connections.leave(occupant)
        occupant = Self.occupant(channel, network)
        enter()
    }

    func beginRequest() {
        requests += 1
        if requests == 1, !isGone { connections.work(occupant) }
    }

    func endRequest() {
        requests -= 1
        if requests == 0, !isGone { connections.wait(occupant) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        leave()
    }

    private func leave() {
        guard !isGone else { return }
        isGone = true
        connections.leave(occupant)
    }
}

/// Connections that are counted.
struct CountedChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let connections: Occupancy
    /// Knows the trusted proxies; `nil` for a listener that has no limit for each network.
    let addresses: ClientAddress?

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        channel.eventLoop.makeCompletedFuture {
            // NIO keeps a buffer of the size of the largest read for each connection, by default of 64 KiB.
            try channel.syncOptions?.setOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 2048, maximum: 16384))
            let record = ConnectionRecord(
                connections, channel, network: addresses?.network(counting: channel.remoteAddress?.ipAddress))
            try channel.pipeline.syncOperations.addHandler(record)
            record.enter()
        }.flatMap { base.setup(channel: channel, logger: logger) }
    }

    func handle(value: Base.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}

extension ClientAddress {
    /// Returns the network that the connections of a peer count against; `nil` for a trusted proxy, whose connections are
    /// those of many clients.
    func network(counting peer: String?) -> ClientNetwork? {
        isTrusted(peer) ? nil : network(peer: peer, forwardedFor: [])
    }
}

/// Lets a listener accept while there is room for a connection, or one that can give way.
struct ConnectionRoom: AvailableConnectionsDelegate {
    let connections: Occupancy

    func connectionOpened() { _ = connections.arrive() }

    func connectionClosed() { connections.depart() }

    func isAcceptingNewConnections() -> Bool { connections.hasRoom() }
}
