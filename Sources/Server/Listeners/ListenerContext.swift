package import Hummingbird
package import Logging
internal import NIOCore

/// What Hummingbird tells us of a request beside the request itself.
package struct ListenerContext: InitializableFromSource {
    package let logger: Logger
    /// Of whoever opened the connection: the client, or the last proxy.
    package let peerAddress: String?

    package init(source: ApplicationRequestContextSource) {
        logger = source.logger
        peerAddress = source.channel.remoteAddress?.ipAddress
    }
}
