internal import Glibc
internal import NIOCore
internal import NIOPosix

/// A reason why a listener cannot be started that an operator can remove.
package enum BindFailure: Sendable, Equatable {
    case addressInUse
    /// The process may not use this port.
    case portNotPermitted
    /// The address is not one of this machine.
    case unknownAddress

    /// - Returns: The reason; `nil` for every other error.
    package init?(_ error: any Error) {
        switch (error as? IOError)?.errnoCode {
        case EADDRINUSE: self = .addressInUse
        case EACCES: self = .portNotPermitted
        case EADDRNOTAVAIL: self = .unknownAddress
        default: return nil
        }
    }

    /// Tries whether a listener could be started, and leaves the address free.
    ///
    /// A listener that fails while others run ends them as well, and each of them then logs errors of its own.
    ///
    /// - Throws: The error of the system, such as one that ``init(_:)`` knows.
    package static func probe(host: String, port: Int) async throws {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: host, port: port).get()
        try await channel.close()
    }

    /// The cause and what the operator should do.
    ///
    /// - Parameter setting: The key of the configuration that has the address.
    /// - Returns: A sentence without a full stop.
    package func advice(changing setting: String) -> String {
        switch self {
        case .addressInUse: "another process uses this port; change \(setting)"
        case .portNotPermitted:
            "this process may not use this port. If it is below 1024, choose another one in \(setting); otherwise a rule of this "
                + "machine, such as one of SELinux, prohibits it"
        case .unknownAddress: "this machine or container does not have this address; change \(setting)"
        }
    }
}
