internal import CLinux
internal import Glibc
internal import NIOCore

/// The process at the other end of a Unix socket, as the kernel recorded it when it connected.
///
/// SO_PEERCRED in unix(7): "The returned credentials are those that were in effect at the time of the call to
/// connect(2)". The peer cannot choose them. The process id may belong to another process later; it is for logs.
package struct LocalPeer: Sendable, Hashable {
    package let processID: Int32
    package let userID: UInt32

    /// Reads the peer of an accepted connection.
    static func of(_ channel: any Channel) -> EventLoopFuture<LocalPeer> {
        guard let options = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        // NIO passes a pointer to the value and its size to getsockopt(2).
        let credentials: EventLoopFuture<linux_peer> = options.unsafeGetSocketOption(
            level: SocketOptionLevel(SOL_SOCKET), name: SocketOptionName(SO_PEERCRED))
        return credentials.map { LocalPeer(processID: $0.pid, userID: $0.uid) }
    }

    /// Finds the id of a user by its name in the user database; `nil` if there is none.
    package static func userID(named name: String) -> UInt32? {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 64 * 1024)
        guard unsafe getpwnam_r(name, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil else {
            return nil
        }
        return unsafe entry.pw_uid
    }
}
