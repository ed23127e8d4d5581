internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTPTypesHTTP1

extension ServerLimits {
    /// Makes the channel of connections, with TLS if there is a certificate.
    ///
    /// - Parameter streams: Counts the streams of HTTP/2.
    func connections(
        _ responder: @escaping HTTPChannelHandler.Responder, _ certificate: ServerCertificate?, streams: Occupancy,
        _ refusals: RefusedConnections
    ) -> any ServerChildChannel {
        guard let certificate else {
            return ComparedChannel(base: http1(responder), layer: .clear, refusals: refusals)
        }
        let http2 = HTTP2Connections(
            responder: responder, limits: self, streams: streams, refusals: refusals,
            maximumDrainedBytes: maximumDrainedBytes)
        let secure = SecureChannel(
            certificate: certificate, handshakeDeadline: handshakeDeadline, refusals: refusals,
            http1: ComparedChannel(base: http1(responder), layer: .decrypted, refusals: refusals),
            http2: ComparedChannel(base: LoopBoundChannel(base: http2), layer: .decrypted, refusals: refusals))
        return ComparedChannel(base: secure, layer: .encrypted, refusals: refusals)
    }

    /// Makes the channel of connections that begin with a header of the PROXY protocol.
    func proxied(
        _ base: some ServerChildChannel, _ addresses: ClientAddress, _ refusals: RefusedConnections
    ) -> any ServerChildChannel {
        ProxiedChannel(base: base, addresses: addresses, deadline: handshakeDeadline, refusals: refusals)
    }

    /// Makes the channel of connections that are counted.
    ///
    /// - Parameter addresses: Knows the trusted proxies; `nil` for a listener that has no limit for each network.
    func counted(
        _ base: some ServerChildChannel, _ connections: Occupancy, _ addresses: ClientAddress?
    ) -> any ServerChildChannel {
        CountedChannel(base: base, connections: connections, addresses: addresses)
    }

    /// Makes the channel of connections with HTTP/1.1.
    private func http1(_ responder: @escaping HTTPChannelHandler.Responder) -> some ServerChildChannel {
        var configuration = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                SentResponses(), ConnectionDeadlines(self, maximumDrainedBytes: maximumDrainedBytes),
            ],
            // `ConnectionDeadlines` has the deadlines.
            idleTimeout: TimeAmount(proxyIdleDeadline) + .seconds(60))
        // Wider than the limits of the listener, which refuses requests with a JSON response.
        configuration.httpDecoder = .init(
            maxHeaderFieldSize: 2 * headerBytes, maxHeaderListSize: 4 * headerBytes,
            maxHeaderFieldCount: 4 * headerFields)
        return LoopBoundChannel(
            base: CheckedHTTP1Channel(base: HTTP1Channel(responder: responder, configuration: configuration)))
    }

    private var maximumDrainedBytes: Int { 4 * bodyBytes }
}

/// Connections whose request tasks run on the event loop of the connection.
///
/// After a task has waited for a store or a peer, it continues on the loop that writes the response, which saves a
/// switch between threads. Actors and shared tasks run on their own executors.
private struct LoopBoundChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        base.setup(channel: channel, logger: logger)
    }

    func handle(value: Base.Value, logger: Logger) async {
        await withTaskExecutorPreference(LoopExecutor(loop: value.channel.eventLoop)) {
            await base.handle(value: value, logger: logger)
        }
    }
}

/// Connections with HTTP/1.1 whose messages ``MessageRules`` checks.
private struct CheckedHTTP1Channel: ServerChildChannel {
    let base: HTTP1Channel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandler(MessageRules(base.configuration.httpDecoder, logger), position: .before(codec))
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}
