import Jansson
import Logging
import NIOCore
import NIOPosix
import Sandbox

/// A running sandbox with a simple HTTP client: one connection per request, and no redirects followed.
struct SandboxClient: Sendable {
    static let start: Int64 = 1_700_000_000

    let addresses: SandboxAddresses

    /// Runs a sandbox whose clock is fixed at ``start``, and calls `body` with it.
    static func withSandbox(
        server: HomeServer? = nil, documentation: DocumentationSite? = nil, google: GoogleSettings = GoogleSettings(),
        _ body: @escaping @Sendable (SandboxClient) async throws -> Void
    ) async throws {
        var logger = Logger(label: "sandbox")
        logger.logLevel = .critical
        let sandbox = Sandbox(google: google, server: server, documentation: documentation, logger: logger) {
            start
        }
        let (ready, whenReady) = AsyncStream.makeStream(of: SandboxAddresses.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await sandbox.run { whenReady.yield($0) } }
            for await addresses in ready {
                try await body(SandboxClient(addresses: addresses))
                break
            }
            group.cancelAll()
        }
    }

    struct NoAnswer: Error {}

    func send(
        _ method: String, _ url: String, header: [String] = [], body: String = ""
    ) async throws -> Reply {
        let rest = url.dropFirst("http://".count)
        let authority = rest.prefix { $0 != "/" }
        let port = Int(authority.split(separator: ":")[1]) ?? 0
        let host = header.contains { $0.hasPrefix("Host: ") } ? [] : ["Host: \(authority)"]
        let lines =
            ["\(method) \(rest.dropFirst(authority.count)) HTTP/1.1", "Connection: close"] + host + header
            + (body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]) + ["", body]
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        let bytes = try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: lines.joined(separator: "\r\n")))
            var bytes: [UInt8] = []
            for try await part in inbound { bytes += part.readableBytesView }
            return bytes
        }
        guard let reply = Reply(bytes) else { throw NoAnswer() }
        return reply
    }

    func get(_ url: String, header: [String] = []) async throws -> Reply {
        try await send("GET", url, header: header)
    }

    func post(_ url: String, form: [(String, String)], header: [String] = []) async throws -> Reply {
        try await send(
            "POST", url, header: header + ["Content-Type: application/x-www-form-urlencoded"],
            body: form.map { Self.encoded($0.0) + "=" + Self.encoded($0.1) }.joined(separator: "&"))
    }

    /// Encodes every byte except letters and digits as `%XX`.
    static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let character = Character(UnicodeScalar(byte))
            guard !character.isASCII || !(character.isLetter || character.isNumber) else { return String(character) }
            return (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    /// Sends a command to the control listener and expects that it succeeds.
    @discardableResult
    func control(_ method: String, _ path: String, _ order: JSON? = nil) async throws -> JSON {
        let reply = try await send(
            method, addresses.control + path, header: ["Content-Type: application/json"],
            body: order.map { String(decoding: $0.serialized(), as: UTF8.self) } ?? "")
        guard (200...204).contains(reply.status) else { throw NoAnswer() }
        return reply.json ?? .null
    }
}
