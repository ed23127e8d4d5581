package import Hummingbird
package import Logging
internal import NIOCore

/// The context of a request from Hummingbird: the logger and the address of the peer.
package struct ListenerContext: InitializableFromSource {
    package let logger: Logger
    /// The connection, or the stream of HTTP/2.
    let channel: any Channel
    /// The address of the peer of the connection: the client or the last proxy.
    ///
    /// With the PROXY protocol it is the address that the proxy named.
    package let peerAddress: String?

    package init(source: ApplicationRequestContextSource) {
        logger = source.logger
        channel = source.channel
        peerAddress = ProxiedClient.address ?? source.channel.remoteAddress?.ipAddress
    }
}
