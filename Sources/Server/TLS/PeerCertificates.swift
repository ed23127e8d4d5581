internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// The certificates that a server sends in a handshake, without any judgement.
package enum PeerCertificates {
    /// Connects to a server, and ends the connection as soon as it has sent its certificates.
    ///
    /// No request is sent.
    ///
    /// - Parameters:
    ///   - host: The name or the address of the server.
    ///   - timeout: The time limit for the connection and the handshake, each.
    /// - Returns: The certificates in DER, in the order of the server; `nil` if there is no handshake.
    package static func sent(by host: String, port: Int, timeout: Duration) async -> [[UInt8]]? {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .fullVerification
        guard let context = try? NIOSSLContext(configuration: configuration) else { return nil }
        let group = MultiThreadedEventLoopGroup.singleton
        let found = group.next().makePromise(of: [[UInt8]]?.self)
        let limit = TimeAmount(timeout)
        do {
            let channel = try await ClientBootstrap(group: group).connectTimeout(limit)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        // RFC 6066 §3: the name of a server is never an address.
                        let named = try? handler(context, host, found)
                        try channel.pipeline.syncOperations.addHandler(named ?? handler(context, nil, found))
                    }
                }
                .connect(host: host, port: port).get()
            channel.closeFuture.whenComplete { _ in found.succeed(nil) }
            channel.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
        } catch {
            found.succeed(nil)
        }
        return (try? await found.futureResult.get()) ?? nil
    }

    private static func handler(
        _ context: NIOSSLContext, _ name: String?, _ found: EventLoopPromise<[[UInt8]]?>
    ) throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: context, serverHostname: name) {
            (certificates: [NIOSSLCertificate], verdict: EventLoopPromise<NIOSSLVerificationResult>) in
            found.succeed(certificates.compactMap { try? $0.toDERBytes() })
            // Nothing may be sent to a server that was not verified.
            verdict.succeed(.failed)
        }
    }
}
