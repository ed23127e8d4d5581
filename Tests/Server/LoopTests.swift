import Dispatch
import Hummingbird
import Logging
import NIOCore
import Server
import ServiceLifecycle
import Testing
import Transport

@Suite("Event loops", .timeLimit(.minutes(5)))
struct LoopTests {
    private struct LoopContext: InitializableFromSource {
        let loop: any EventLoop

        init(source: ApplicationRequestContextSource) {
            loop = source.channel.eventLoop
        }
    }

    /// Answers with whether it runs on the loop of its connection, also after each wait for another thread.
    private struct Witness: HTTPResponder {
        func respond(to request: Request, context: LoopContext) async throws -> Response {
            var isHome = context.loop.inEventLoop
            for _ in 0..<20 {
                await withCheckedContinuation { continuation in
                    DispatchQueue.global().async { continuation.resume() }
                }
                isHome = isHome && context.loop.inEventLoop
            }
            return Response(status: isHome ? .ok : .misdirectedRequest)
        }
    }

    @Test("A request goes on where its connection is, whoever it waited for")
    func home() async throws {
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        let listener = Servers(logger: LogMemory().logger, metrics: Metrics()).listener(
            Witness(), name: "public", host: "127.0.0.1", port: 0, limits: ServerLimits()
        ) { listening.yield($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await listener.run() }
            guard let port = await ports.first(where: { _ in true }) else { throw Street.NotReady() }
            for _ in 0..<4 {
                try await Wire.connect(to: port) { wire in
                    for _ in 0..<2 {
                        try await wire.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                        #expect(try await wire.answer()?.status == 200)
                    }
                }
            }
            group.cancelAll()
        }
    }
}
