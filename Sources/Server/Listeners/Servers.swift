package import Hummingbird
internal import HummingbirdCore
package import Logging
internal import NIOCore
package import ServiceLifecycle

/// Makes the services of the two listeners, for `serve` and for tests.
package struct Servers: Sendable {
    private let logger: Logger
    private let metrics: Metrics
    private let spares = SpareDescriptors()

    package init(logger: Logger, metrics: Metrics) {
        self.logger = logger
        self.metrics = metrics
    }

    /// Makes the service of a listener.
    ///
    /// - Parameters:
    ///   - name: `public` or `admin`: the name in metrics and logs.
    ///   - host: The host name or address to bind.
    ///   - port: The port to bind; 0 binds any free port.
    ///   - certificate: The certificate for TLS; `nil` for a listener without TLS.
    ///   - addresses: Knows the trusted proxies; `nil` for a listener that has no limit of connections for each network.
    ///   - isProxied: Whether the trusted proxies begin each connection with a header of the PROXY protocol.
    ///   - ready: Called with the port once the listener accepts connections.
    /// - Returns: A service that ends after the responses to all accepted requests.
    package func listener<Responder: HTTPResponder>(
        _ responder: Responder, name: String, host: String, port: Int, certificate: ServerCertificate? = nil,
        addresses: ClientAddress? = nil, isProxied: Bool = false, limits: ServerLimits,
        ready: @escaping @Sendable (Int) async -> Void
    ) -> any Service where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
        let notice = FullNotice(listener: name, metrics: metrics, logger: logger)
        let connections = Occupancy(
            maximum: limits.connections, maximumOfNetwork: addresses == nil ? limits.connections : nil
        ) { notice.record("connections", limit: $0, $1) }
        let streams = Occupancy(maximum: limits.streams) { notice.record("streams", limit: $0, $1) }
        let refusals = RefusedConnections(metrics, listener: name)
        return Application(
            responder: responder,
            server: HTTPServerBuilder { responder in
                var channel = limits.connections(responder, certificate, streams: streams, refusals)
                if isProxied, let addresses { channel = limits.proxied(channel, addresses, refusals) }
                return limits.counted(channel, connections, addresses)
            },
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port),
                backlog: 1024,
                availableConnectionsDelegate: ConnectionRoom(connections: connections)),
            onServerRunning: { [logger] channel in
                do {
                    try await addAcceptPause(to: channel, name)
                } catch {
                    logger.error(
                        "cannot install the accept pause: the listener would spin if file descriptors run out",
                        metadata: ["listener": "\(name)", "error": "\(error)"])
                }
                await ready(channel.localAddress?.port ?? port)
            },
            logger: logger)
    }

    private func addAcceptPause(to channel: any Channel, _ name: String) async throws {
        try await channel.eventLoop.submit { [logger, metrics, spares] in
            let pause = AcceptPause {
                // The public listener could use up all descriptors. It accepts only while the spare ones are held, even
                // if the admin listener has released them.
                name == "admin" || spares.take()
            } onPause: { isFirst in
                spares.release()
                metrics.recordAcceptPause(listener: name)
                guard isFirst else { return }
                logger.error(
                    "no file descriptors are left: new connections wait. Raise LimitNOFILE (of a container: nofile), or find what holds them",
                    metadata: ["listener": "\(name)"])
            }
            // First in the pipeline, so that it receives errors first and read events last.
            try channel.pipeline.syncOperations.addHandler(pause, position: .first)
        }.get()
    }
}

/// Stops the public listener in two steps when a graceful shutdown begins.
///
/// First `/readyz` fails while requests are still accepted, so that a load balancer removes the server before requests
/// fail. After the delay the server refuses new requests. The listener ends after this service and closes its port.
package struct DrainService: Service {
    private let concurrencyLimit: ConcurrencyLimit
    private let delay: Duration
    private let wait: @Sendable (Duration) async throws -> Void

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - delay: The time from the failure of `/readyz` until new requests are refused.
    ///   - wait: Returns after a duration, or throws if it is cancelled.
    package init(
        _ concurrencyLimit: ConcurrencyLimit, delay: Duration,
        wait: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.concurrencyLimit = concurrencyLimit
        self.delay = delay
        self.wait = wait
    }

    package func run() async throws {
        try await gracefulShutdown()
        concurrencyLimit.announceDrain()
        if delay > .zero { try? await wait(delay) }
        concurrencyLimit.drain()
    }
}
