internal import Hummingbird
internal import Logging
internal import NIOCore

/// The provider of the bench: one document, whatever is asked for.
enum KeyServer {
    static func running<Answer: Sendable>(
        serving document: [UInt8], _ body: @escaping @Sendable (_ origin: String) async throws -> Answer
    ) async throws -> Answer {
        let (ports, whenBound) = AsyncStream.makeStream(of: Int.self)
        let router = Router()
        router.get("keys") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: document)))
        }
        var logger = Logger(label: "bench")
        logger.logLevel = .critical
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { whenBound.yield($0.localAddress?.port ?? 0) }, logger: logger)
        return try await withThrowingTaskGroup(of: Answer?.self) { group in
            group.addTask {
                try await application.run()
                return nil
            }
            group.addTask {
                for await port in ports {
                    return try await body("http://127.0.0.1:\(port)")
                }
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let answer = first else { throw BenchError.serverNotReady }
            return answer
        }
    }
}
