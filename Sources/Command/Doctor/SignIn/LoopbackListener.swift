internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// A listener at a loopback redirect URI (RFC 8252 §7.3), which hands the addresses of the browser on.
struct LoopbackListener {
    /// The address to listen at: host, port and path of a redirect URI.
    struct Place: Equatable {
        let host: String
        let port: Int
        let path: String

        /// Returns `nil` unless the URI is `http` with a loopback address and a port.
        init?(_ redirectURI: String) {
            for host in ["127.0.0.1", "[::1]", "localhost"] where redirectURI.hasPrefix("http://\(host):") {
                let rest = redirectURI.dropFirst("http://\(host):".count)
                guard let port = Int(rest.prefix { $0 != "/" && $0 != "?" }), (1...65535).contains(port) else {
                    return nil
                }
                let path = rest.drop { $0 != "/" }.prefix { $0 != "?" }
                self.host = host == "[::1]" ? "::1" : "127.0.0.1"
                self.port = port
                self.path = path.isEmpty ? "/" : String(path)
                return
            }
            return nil
        }
    }

    private let channel: any Channel

    /// Listens until ``close()``.
    ///
    /// - Parameter receive: Receives the target of each request for the path; a posted form as its query.
    /// - Throws: An error if the port cannot be bound.
    static func open(
        at place: Place, _ receive: @escaping @Sendable (String) -> Void
    ) async throws -> LoopbackListener {
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(path: place.path, receive: receive))
                }
            }
            .bind(host: place.host, port: place.port).get()
        return LoopbackListener(channel: channel)
    }

    func close() async {
        try? await channel.close()
    }

    /// Answers every request with a page, and closes the connection.
    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private static let page = """
            <!doctype html><meta charset="utf-8"><title>token-exchange doctor</title>\
            <p>You can close this window and return to the terminal.</p>
            """

        private let path: String
        private let receive: @Sendable (String) -> Void

        init(path: String, receive: @escaping @Sendable (String) -> Void) {
            self.path = path
            self.receive = receive
        }

        /// The form of a provider with `response_mode: form_post`; `nil` for any other request.
        private var form: String?

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head):
                // A browser also asks for an icon.
                let isExpected = head.uri.prefix { $0 != "?" } == path
                switch head.method {
                case .GET where isExpected:
                    receive(head.uri)
                    respond(in: context, isExpected: true)
                case .POST where isExpected: form = ""
                default: respond(in: context, isExpected: false)
                }
            case .body(let body):
                guard let begun = form else { return }
                form = begun + String(buffer: body)
                if (form?.utf8.count ?? 0) > 64 * 1024 { context.close(promise: nil) }
            case .end:
                guard let form else { return }
                receive(path + "?" + form)
                respond(in: context, isExpected: true)
            }
        }

        private func respond(in context: ChannelHandlerContext, isExpected: Bool) {
            let body = ByteBuffer(string: isExpected ? Self.page : "")
            // Neither a cache nor another site may learn the code in the address.
            let header: HTTPHeaders = [
                "Content-Type": "text/html; charset=utf-8", "Content-Length": "\(body.readableBytes)",
                "Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "Connection": "close",
            ]
            let status: HTTPResponseStatus = isExpected ? .ok : .notFound
            context.write(
                wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: header))),
                promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            context.close(promise: nil)
        }
    }
}
