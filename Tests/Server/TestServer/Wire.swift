import NIOCore
import NIOPosix
import Transport

/// One TCP connection, with whatever bytes a test sends.
struct Wire {
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private let channel: any Channel
    private var received: [UInt8] = []

    /// Neither an answer nor the end of the connection.
    struct NotHTTP: Error {}

    static func connect<Result: Sendable>(
        to port: Int, _ body: (inout Wire) async throws -> Result
    ) async throws -> Result {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: true))
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var wire = Wire(
                inbound: inbound.makeAsyncIterator(), outbound: outbound, channel: channel.channel)
            return try await body(&wire)
        }
    }

    func send(_ text: String) async throws {
        try await send(Array(text.utf8))
    }

    /// Returns when the kernel has taken them.
    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
    }

    /// Sends what the other side may never take.
    func begin(_ text: String) {
        channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
    }

    /// How many of so many bytes the other side took before it closed.
    func pour(_ count: Int, chunked: Bool) async -> Int {
        let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 65536)
        let bytes = chunked ? Array("10000\r\n".utf8) + piece + Array("\r\n".utf8) : piece
        var sent = 0
        while sent < count {
            do {
                try await send(bytes)
            } catch {
                return sent
            }
            sent += piece.count
        }
        return sent
    }

    /// Says that nothing more comes, and goes on listening.
    func finish() {
        outbound.finish()
    }

    /// Ends the connection with RST.
    func reset() async throws {
        if let options = channel as? any SocketOptionProvider {
            try await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        }
        try await channel.close()
    }

    /// The next whole answer; nil where the connection ended before it began.
    ///
    /// `toHEAD`: its body is not sent.
    mutating func response(toHEAD: Bool = false) async throws -> OutboundResponse? {
        guard let end = try await read(until: { $0.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound })
        else { return nil }
        let lines = String(decoding: received[..<end], as: UTF8.self).split(separator: "\r\n")
        guard let first = lines.first, first.hasPrefix("HTTP/1.1 "),
            let status = Int(first.dropFirst("HTTP/1.1 ".count).prefix(3))
        else { throw NotHTTP() }
        let header = lines.dropFirst().compactMap { line in
            line.firstIndex(of: ":").map { colon in
                HeaderField(
                    String(line[..<colon]), String(line[line.index(after: colon)...].drop { $0 == " " }))
            }
        }
        let head = OutboundResponse(status: status, header: header)
        let length = toHEAD ? 0 : head[field: "Content-Length"].flatMap { Int($0) } ?? 0
        guard try await read(until: { $0.count >= end + length ? end + length : nil }) != nil
        else { throw NotHTTP() }
        let body = Array(received[end..<(end + length)])
        received.removeFirst(end + length)
        return OutboundResponse(status: status, header: header, body: body)
    }

    /// Returns the unread bytes once the other side has closed the connection.
    mutating func rest() async -> [UInt8] {
        while true {
            guard let part = try? await inbound.next() else { return received }
            received += part.readableBytesView
        }
    }

    private mutating func read(until end: ([UInt8]) -> Int?) async throws -> Int? {
        while true {
            if let end = end(received) { return end }
            guard let part = try await inbound.next() else {
                guard received.isEmpty else { throw NotHTTP() }
                return nil
            }
            received += part.readableBytesView
        }
    }
}
