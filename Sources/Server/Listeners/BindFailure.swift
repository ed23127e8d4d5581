internal import Glibc
internal import NIOCore
internal import NIOPosix

/// Why a listener cannot be started.
package enum BindFailure {
    /// Tries whether a listener could be started, and leaves the address free.
    ///
    /// A listener that fails while others run ends them as well, and each of them then logs errors of its own.
    ///
    /// - Throws: The error of the system, which ``sentence(_:changing:)`` explains.
    package static func probe(host: String, port: Int) async throws {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: host, port: port).get()
        try await channel.close()
    }

    /// What the system says, and what the operator should do.
    ///
    /// - Parameters:
    ///   - error: The error of a listener.
    ///   - setting: The key of the configuration that has the address.
    /// - Returns: A sentence without a full stop.
    package static func sentence(_ error: any Error, changing setting: String) -> String {
        guard let number = (error as? IOError)?.errnoCode else { return "\(error)" }
        let remedy =
            switch number {
            case EADDRINUSE: ": end the other process, or change \(setting)"
            case EACCES: ": ports below 1024 are usually only for root, so change \(setting)"
            case EADDRNOTAVAIL, EAFNOSUPPORT:
                ": this machine has no such address: write one of its own, or for all of them 0.0.0.0, in \(setting)"
            case EINVAL: ": change \(setting)"
            default: ""
            }
        return "\(unsafe String(cString: strerror(number)))\(remedy)"
    }
}
