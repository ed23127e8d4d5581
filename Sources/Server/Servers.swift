package import Hummingbird
internal import HummingbirdCore
package import Logging
internal import NIOCore
package import ServiceLifecycle

/// The two listeners as services, for `serve` and for tests alike.
package struct Servers: Sendable {
    private let logger: Logger

    package init(logger: Logger) {
        self.logger = logger
    }

    /// `port`: 0 for any free one.
    ///
    /// - `ready`: told the port once connections are accepted.
    package func listener<Door: HTTPResponder>(
        _ door: Door, host: String, port: Int, limits: ServerLimits,
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
            onServerRunning: { channel in await ready(channel.localAddress?.port ?? port) },
            logger: logger)
    }
}
