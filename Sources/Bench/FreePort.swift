internal import NIOCore
internal import NIOPosix

enum FreePort {
    /// A port of loopback that was free a moment ago.
    static func find() async throws -> Int {
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = channel.localAddress?.port
        try await channel.close()
        guard let port else { throw BenchError.serverNotReady }
        return port
    }
}
