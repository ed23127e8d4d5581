package import Hummingbird
internal import HummingbirdCore
package import Logging
internal import Loops
internal import NIOCore
internal import NIOHTTPTypesHTTP1
package import ServiceLifecycle

/// The two listeners as services, for `serve` and for tests alike.
package struct Servers: Sendable {
    private let logger: Logger
    private let metrics: Metrics
    private let spares = SpareDescriptors()

    package init(logger: Logger, metrics: Metrics) {
        self.logger = logger
        self.metrics = metrics
    }

    /// - Parameters:
    ///   - door: Answers the requests.
    ///   - name: `public` or `admin`, in metrics and logs.
    ///   - host: A name or an address.
    ///   - port: 0 for any free one.
    ///   - limits: Of connections and their messages.
    ///   - ready: Told the port once connections are accepted.
    /// - Returns: A service that ends when it has answered what it had accepted.
    package func listener<Door: HTTPResponder>(
        _ door: Door, name: String, host: String, port: Int, limits: ServerLimits,
        ready: @escaping @Sendable (Int) async -> Void
    ) -> any Service where Door.Context: InitializableFromSource<ApplicationRequestContextSource> {
        var configuration = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                ConnectionDeadlines(limits, maximumDrainedBytes: 4 * limits.bodyBytes)
            ],
            idleTimeout: .seconds(60))
        // Somewhat wider than what the door itself refuses with an answer in JSON.
        configuration.httpDecoder = .init(
            maxHeaderFieldSize: 2 * limits.headerBytes, maxHeaderListSize: 4 * limits.headerBytes,
            maxHeaderFieldCount: 4 * limits.headerFields)
        return Application(
            responder: door,
            server: HTTPServerBuilder { [configuration] responder in
                LoopBoundChannel(base: HTTP1Channel(responder: responder, configuration: configuration))
            },
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port),
                backlog: 1024,
                availableConnectionsDelegate: MaximumAvailableConnections(limits.connections)),
            onServerRunning: { [logger] channel in
                do {
                    try await addAcceptPause(to: channel, name)
                } catch {
                    logger.error("accepting cannot be paused", metadata: ["listener": "\(name)", "error": "\(error)"])
                }
                await ready(channel.localAddress?.port ?? port)
            },
            logger: logger)
    }

    private func addAcceptPause(to channel: any Channel, _ name: String) async throws {
        try await channel.eventLoop.submit { [logger, metrics, spares] in
            let pause = AcceptPause {
                // The public listener could use everything up. It waits until the spare descriptors are back, also if
                // the admin listener has let them go.
                name == "admin" || spares.take()
            } onPause: { isFirst in
                spares.letGo()
                metrics.recordAcceptPause(listener: name)
                guard isFirst else { return }
                logger.error(
                    "no file descriptors are left: new connections wait. Raise LimitNOFILE, or look for what holds them",
                    metadata: ["listener": "\(name)"])
            }
            // Nearest to the socket, so that it sees errors first and reads last.
            try channel.pipeline.syncOperations.addHandler(pause, position: .first)
        }.get()
    }
}

/// HTTP/1.1 whose requests are answered on the event loop of their connection, and checked as messages first.
///
/// After waiting for a store or a peer, the task goes on where the response will be written: it need not be handed from
/// loop to loop for that. What an actor does, or a task that others share, is done elsewhere.
struct LoopBoundChannel: ServerChildChannel {
    let base: HTTP1Channel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandler(MessageRules(), position: .before(codec))
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await withTaskExecutorPreference(LoopExecutor(loop: value.channel.eventLoop)) {
            await base.handle(value: value, logger: logger)
        }
    }
}

/// Ends the public listener in two steps when a graceful shutdown begins.
///
/// First `/readyz` fails while requests are answered as before: a load balancer that asks it sees this before any
/// connection is refused. After the delay new requests are refused, and the listener, which ends after this service,
/// closes.
package struct DrainService: Service {
    private let admission: Admission
    private let delay: Duration
    private let wait: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - admission: That of the public listener.
    ///   - delay: How long the load balancer has.
    ///   - wait: Returns after a time; a cancellation ends it.
    package init(
        _ admission: Admission, delay: Duration,
        wait: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.admission = admission
        self.delay = delay
        self.wait = wait
    }

    package func run() async throws {
        try await gracefulShutdown()
        admission.announceDrain()
        if delay > .zero { try? await wait(delay) }
        admission.drain()
    }
}
