package import Hummingbird
internal import HummingbirdCore
package import Logging
internal import NIOCore
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
