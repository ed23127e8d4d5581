import Curl
import Dispatch
import Hummingbird
import Logging
import NIOCore
import Server
import ServiceLifecycle
import Support
import Testing
import Transport

@Suite("Shutdown", .serialized, .timeLimit(.minutes(5)))
struct DrainTests {
    @Test("R-12: a load balancer sees that the server leaves before any connection is refused")
    func delay() async throws {
        let (isOver, end) = AsyncStream.makeStream(of: Void.self)
        try await TestServer.open(.with { $0.drainDelay = { for await _ in isOver {} } }) { server in
            await server.services.triggerGracefulShutdown()
            while !server.concurrencyLimit.isEnding { try await Task.sleep(for: .milliseconds(2)) }
            let readiness = try await server.get("/readyz", admin: true)
            #expect(readiness.status == 503)
            #expect(readiness.text == #"{"failing":["draining"],"status":"unavailable"}"#)
            #expect(try await server.get("/healthz", admin: true).status == 200)
            // On a connection of its own.
            #expect(try await server.raw(TestServer.request())?.status == 200)
            end.finish()
            while !server.concurrencyLimit.isDraining { try await Task.sleep(for: .milliseconds(2)) }
        }
    }

    @Test("R-12: a running request completes, and new requests are refused")
    func drain() async throws {
        try await TestServer.open { server in
            let body = try await server.codeBody()
            try await Wire.connect(to: server.publicPort) { kept in
                try await kept.send(TestServer.request())
                #expect(try await kept.response()?.status == 200)
                server.gate.shut()
                async let underWay = server.exchange(body)
                await server.gate.isReached()
                await server.services.triggerGracefulShutdown()
                while !server.concurrencyLimit.isDraining { try await Task.sleep(for: .milliseconds(2)) }
                // On an open connection: a 503, or the connection has closed.
                try? await kept.send(TestServer.request())
                if let response = try? await kept.response() {
                    try expectRefusal(response, "draining", retry: "same")
                    #expect(response[field: "Connection"] == "close")
                }
                #expect(await kept.rest().isEmpty)
                server.gate.open()
                #expect(try await underWay.status == 200)
            }
            await server.curl.shutdown()
            // The port is closed.
            while (try? await Wire.connect(to: server.publicPort) { _ in }) != nil {
                try await Task.sleep(for: .milliseconds(2))
            }
        }
    }
}

@Suite("Event loops", .timeLimit(.minutes(5)))
struct LoopTests {
    private struct LoopContext: InitializableFromSource {
        let loop: any EventLoop

        init(source: ApplicationRequestContextSource) {
            loop = source.channel.eventLoop
        }
    }

    /// Responds with whether it runs on the loop of its connection, also after each wait for another thread.
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

    @Test("After waiting on another thread, a request continues on the event loop of its connection")
    func home() async throws {
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        let listener = Servers(logger: LogMemory().logger, metrics: Metrics()).listener(
            Witness(), name: "public", host: "127.0.0.1", port: 0, limits: ServerLimits()
        ) { listening.yield($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await listener.run() }
            guard let port = await ports.first(where: { _ in true }) else { throw TestServer.NotReady() }
            for _ in 0..<4 {
                try await Wire.connect(to: port) { wire in
                    for _ in 0..<2 {
                        try await wire.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                        #expect(try await wire.response()?.status == 200)
                    }
                }
            }
            group.cancelAll()
        }
    }
}
