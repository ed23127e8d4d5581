internal import Foundation
internal import Jansson
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// A provider that needs little processor time: `GET /keys`, and `POST /token`, which responds after the delay in the
/// code.
enum ProviderStandIn {
    /// Serves until the process ends.
    static func run(_ credentials: Credentials, port: Int) async throws {
        let forge = TokenForge(credentials, issuer: "http://127.0.0.1:\(port)", algorithm: .es256)
        let keySet = credentials.keySet
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.backlog, value: 4096)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: false)
                    try channel.pipeline.syncOperations.addHandler(ProviderHandler(forge, keySet: keySet))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        try await channel.closeFuture.get()
    }
}

private final class ProviderHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let forge: TokenForge
    private let keySet: [UInt8]
    private var path = ""
    private var body = ""

    init(_ forge: TokenForge, keySet: [UInt8]) {
        self.forge = forge
        self.keySet = keySet
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (path, body) = (head.uri, "")
        case .body(let bytes): body += String(buffer: bytes)
        case .end: answer(context)
        }
    }

    private func answer(_ context: ChannelHandlerContext) {
        guard path == "/token" else {
            return send(path == "/keys" ? .ok : .notFound, path == "/keys" ? keySet : [], context)
        }
        let fields = body.split(separator: "&").first { $0.hasPrefix("code=") }
        guard let code = ProviderCode(fields?.dropFirst("code=".count) ?? "") else {
            return send(.badRequest, Array(#"{"error":"invalid_grant"}"#.utf8), context)
        }
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(code.delay))) {
            self.send(code, context)
        }
    }

    private func send(_ code: ProviderCode, _ context: ChannelHandlerContext) {
        guard context.channel.isActive, let token = try? forge.token(nonce: code.nonce, person: code.person) else {
            return context.close(promise: nil)
        }
        let tokens: JSON = .object([
            "access_token": .string("access-\(code.nonce)"), "token_type": .string("Bearer"),
            "expires_in": .integer(3600), "id_token": .string(token),
        ])
        send(.ok, tokens.serialized(), context)
    }

    private func send(_ status: HTTPResponseStatus, _ body: [UInt8], _ context: ChannelHandlerContext) {
        let head = HTTPResponseHead(
            version: .http1_1, status: status,
            headers: [
                "Content-Type": "application/json", "Cache-Control": "max-age=3600", "Content-Length": "\(body.count)",
            ])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

/// An authorization code that contains everything that the provider stand-in needs, so that it has no state.
struct ProviderCode {
    /// The response time of the token endpoint in milliseconds.
    let delay: Int
    let person: Int
    let nonce: String

    init(delay: Int, person: Int, nonce: String) {
        self.delay = delay
        self.person = person
        self.nonce = nonce
    }

    /// Returns `nil` if the text is not a code of the benchmark.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".")
        guard parts.count == 3, let delay = Int(parts[0]), let person = Int(parts[1]) else { return nil }
        self.init(delay: delay, person: person, nonce: String(parts[2]))
    }

    var text: String { "\(delay).\(person).\(nonce)" }
}
