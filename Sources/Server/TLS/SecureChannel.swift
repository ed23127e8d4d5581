package import HummingbirdCore
package import Logging
package import NIOCore
internal import NIOSSL
internal import NIOTLS

/// A connection with TLS, whose client chooses between HTTP/1.1 and HTTP/2 in the handshake (RFC 7301).
///
/// A client that does not negotiate gets HTTP/1.1. One that does not speak TLS, or does not finish the handshake in time,
/// is disconnected without a response.
package struct SecureChannel<HTTP1: ServerChildChannel, HTTP2: ServerChildChannel>: ServerChildChannel {
    /// A connection, and the protocol that its handshake will choose.
    package struct Value: ServerChildChannelValue {
        fileprivate let negotiated: EventLoopFuture<Negotiated>
        package let channel: any Channel
    }

    fileprivate enum Negotiated: Sendable {
        case http1(HTTP1.Value)
        case http2(HTTP2.Value)
    }

    private let certificate: ServerCertificate
    private let handshakeDeadline: TimeAmount
    private let refusals: RefusedConnections
    private let http1: HTTP1
    private let http2: HTTP2

    /// Creates the channel of a listener.
    ///
    /// - Parameters:
    ///   - handshakeDeadline: The time from the start of a connection to the end of its handshake.
    ///   - refusals: Reports clients that do not accept the certificate.
    init(
        certificate: ServerCertificate, handshakeDeadline: Duration, refusals: RefusedConnections, http1: HTTP1,
        http2: HTTP2
    ) {
        self.certificate = certificate
        self.handshakeDeadline = TimeAmount(handshakeDeadline)
        self.refusals = refusals
        self.http1 = http1
        self.http2 = http2
    }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let negotiation = NIOTypedApplicationProtocolNegotiationHandler<Negotiated> { result in
                switch result {
                case .negotiated("h2"): http2.setup(channel: channel, logger: logger).map { .http2($0) }
                // The handshake fails for a client that offers other protocols only, so that only HTTP/1.1 is left.
                case .negotiated, .fallback: http1.setup(channel: channel, logger: logger).map { .http1($0) }
                }
            }
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(NIOSSLServerHandler(context: certificate.current))
            try pipeline.addHandler(
                HandshakeDeadline(handshakeDeadline) { failure in
                    refusals.recordHandshake(failure, logger)
                })
            try pipeline.addHandler(negotiation)
            return Value(negotiated: negotiation.protocolNegotiationResult, channel: channel)
        }
    }

    package func handle(value: Value, logger: Logger) async {
        do {
            switch try await value.negotiated.get() {
            case .http1(let connection): await http1.handle(value: connection, logger: logger)
            case .http2(let connection): await http2.handle(value: connection, logger: logger)
            }
        } catch {
            // Scanners and cancelled connections cause this many times a day.
            logger.debug("a TLS handshake failed", metadata: ["error": "\(error)"])
            try? await value.channel.close()
        }
    }
}

/// Closes a connection whose TLS handshake takes too long, and shows why a handshake fails.
private final class HandshakeDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let deadline: TimeAmount
    private let onFailure: (String) -> Void
    private var alarm: Scheduled<Void>?

    /// - Parameter onFailure: Called with the error of the TLS library, which names the alert of a client.
    init(_ deadline: TimeAmount, onFailure: @escaping (String) -> Void) {
        self.deadline = deadline
        self.onFailure = onFailure
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        alarm = context.eventLoop.scheduleTask(in: deadline) { channel.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        alarm?.cancel()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case .handshakeFailed(let cause)? = error as? NIOSSLError { onFailure("\(cause)") }
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        alarm?.cancel()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { alarm?.cancel() }
        context.fireUserInboundEventTriggered(event)
    }
}
