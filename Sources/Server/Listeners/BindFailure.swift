internal import Glibc
internal import NIOCore

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

    /// The cause and what the operator should do.
    ///
    /// - Parameter setting: The key of the configuration that has the address.
    /// - Returns: A sentence without a full stop.
    package func advice(changing setting: String) -> String {
        switch self {
        case .addressInUse: "another program uses this port; change \(setting)"
        case .portNotPermitted: "only root may use ports below 1024; choose another port in \(setting)"
        case .unknownAddress: "this machine does not have this address; change \(setting)"
        }
    }
}
