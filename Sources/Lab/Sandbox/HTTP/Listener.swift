import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// One HTTP/1.1 listener.
struct Listener: Sendable {
    let address: String
    let port: Int
    var maximumBodyBytes = 64 << 10
    let logger: Logger
    let answer: @Sendable (IncomingRequest) async -> Delivery
    /// Called for every connection, even if no request follows.
    var onConnection: @Sendable () -> Void = {}
    let onBound: @Sendable (Int) -> Void

    func run() async throws {
        let application = Application(
            responder: CallbackResponder { (request: Request, context: Connection) in
                try await respond(to: request, on: context.channel)
            },
            server: .http1(
                configuration: .init(additionalChannelHandlers: handlersOfNewConnection(), idleTimeout: .seconds(60))),
            configuration: .init(address: .hostname(address, port: port)),
            onServerRunning: { onBound($0.localAddress?.port ?? port) },
            logger: logger)
        try await application.run()
    }

    /// Returns no handlers.
    ///
    /// Hummingbird calls this function once per connection, which is how connections are counted.
    private func handlersOfNewConnection() -> [any RemovableChannelHandler] {
        onConnection()
        return []
    }

    private func respond(to request: Request, on channel: any Channel) async throws -> Response {
        guard let body = try? await request.body.collect(upTo: maximumBodyBytes) else {
            return Response(status: .contentTooLarge, headers: [.connection: "close"])
        }
        let target = (request.head.path ?? "/").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var header = request.headers.map { (name: $0.name.canonicalName, value: $0.value) }
        if let authority = request.head.authority { header.append(("host", authority)) }
        let delivery = await answer(
            IncomingRequest(
                method: request.method.rawValue, path: String(target[0]),
                query: target.count == 2 ? String(target[1]) : "", header: header, body: Array(body.readableBytesView)))
        if delivery.manner == .dropped { try await channel.close() }
        return Self.response(delivery)
    }

    private static func response(_ delivery: Delivery) -> Response {
        var header = HTTPFields()
        for (name, value) in delivery.answer.header {
            if let name = HTTPField.Name(name) { header.append(HTTPField(name: name, value: value)) }
        }
        let bytes = delivery.answer.body
        let body: ResponseBody
        switch delivery.manner {
        case .whole, .dropped:
            body = ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        case .cut(let count):
            body = ResponseBody(contentLength: bytes.count) { writer in
                try await writer.write(ByteBuffer(bytes: bytes.prefix(count)))
                // An error that the body throws closes the connection.
                throw CancellationError()
            }
        case .dripping(let interval):
            body = ResponseBody(contentLength: bytes.count) { writer in
                for byte in bytes {
                    try await writer.write(ByteBuffer(bytes: [byte]))
                    try await Task.sleep(for: .milliseconds(interval))
                }
                try await writer.finish(nil)
            }
        }
        return Response(status: .init(code: delivery.answer.status), headers: header, body: body)
    }

    /// Keeps the channel, so that the connection can be closed.
    private struct Connection: InitializableFromSource {
        let channel: any Channel

        init(source: ApplicationRequestContextSource) {
            channel = source.channel
        }
    }
}
