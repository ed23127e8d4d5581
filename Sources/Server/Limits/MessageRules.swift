internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import NIOHTTP1

/// Marks a request that is faulty as an HTTP message, so that it is answered in its turn and in the usual form, and
/// takes nothing more from its connection.
///
/// The version and the `Host` fields are not to be seen any more further up. The mark is a header field: what a client
/// sends under its name is removed.
final class MessageRules: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private static let mark = "X-Message-Fault"
    private var isOver = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        if head.headers.contains(name: Self.mark) { head.headers.remove(name: Self.mark) }
        guard let fault = MessageFault(head) else { return context.fireChannelRead(wrapInboundOut(.head(head))) }
        head.headers.add(name: Self.mark, value: fault.rawValue)
        // Where its body ends is not certain, so that it has none here, and nothing behind it is a request.
        isOver = true
        context.fireChannelRead(wrapInboundOut(.head(head)))
        context.fireChannelRead(wrapInboundOut(.end(nil)))
    }

    /// - Throws: ``RequestError/malformedMessage(_:)`` for a request that was marked.
    static func check(_ request: Request) throws(RequestError) {
        guard let name = HTTPField.Name(mark), let fault = request.headers[name].flatMap(MessageFault.init)
        else { return }
        throw .malformedMessage(fault)
    }
}
