internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Applies the rules of HTTP messages to a stream of HTTP/2 that ``MessageRules`` applies to a connection of HTTP/1.1.
///
/// The framing itself cannot be ambiguous in HTTP/2, and the decoder of NIO refuses fields of connections.
final class HTTP2Rules: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        MessageRules.mark(&head)
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        // RFC 9113 §8.2.2: "An endpoint MUST NOT generate an HTTP/2 message containing connection-specific header
        // fields". The client would refuse the response.
        head.headerFields[.connection] = nil
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}
