internal import Glibc

/// Why a Unix socket cannot be opened for listening.
package enum ListeningSocketError: Error, Equatable, Sendable {
    /// The path is longer than `sun_path` (unix(7)), or not absolute.
    case path
    /// The folder does not exist.
    case noFolder
    /// Other users may write the folder, or it belongs to one of them: they could put another socket in its place.
    case openFolder
    /// Another process listens at the path.
    case inUse
    /// The path leads to a file that is not a socket.
    case notASocket
    /// A system call failed with this `errno`.
    case system(Int32)
}

/// A Unix socket that is ready for a listener, which closes it.
///
/// Its group may connect to it, so that the folder decides who else can reach it.
package struct ListeningSocket: Sendable, Equatable {
    let descriptor: Int32

    /// Opens a socket at a path, and replaces one that a process has left there.
    ///
    /// A lock beside the socket keeps two processes that start at the same time from replacing each other's socket. It
    /// stays until the process ends.
    ///
    /// - Parameter path: An absolute path, in a folder that only this user can write.
    package static func open(path: String) throws(ListeningSocketError) -> ListeningSocket {
        guard path.hasPrefix("/"), path.utf8.count < maximumLength else { throw .path }
        try checkFolder(of: path)
        let lock = try unsafe Descriptor(Glibc.open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600))
        guard flock(lock.number, LOCK_EX | LOCK_NB) == 0 else { throw .inUse }
        try removeStale(path)
        let listener = try Descriptor.ofSocket()
        let number = listener.number
        guard unsafe with(path, { unsafe bind(number, $0, $1) }) == 0 else { throw .system(errno) }
        // No client can connect before listen(2).
        guard unsafe chmod(path, 0o660) == 0 else { throw .system(errno) }
        _ = lock.release()
        return ListeningSocket(descriptor: listener.release())
    }

    /// Takes the socket that the service manager opened (sd_listen_fds(3)).
    ///
    /// - Parameter environment: The variables `LISTEN_PID` and `LISTEN_FDS`.
    /// - Returns: The socket; `nil` if the manager passed none.
    package static func inherited(
        environment: [String: String], processID: Int32 = getpid()
    ) -> ListeningSocket? {
        guard environment["LISTEN_PID"] == String(processID), environment["LISTEN_FDS"] == "1" else { return nil }
        // SD_LISTEN_FDS_START. A program that this one starts must not inherit it.
        let descriptor: Int32 = 3
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { return nil }
        return ListeningSocket(descriptor: descriptor)
    }

    private static let maximumLength = 108

    private static func checkFolder(of path: String) throws(ListeningSocketError) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        var status = stat()
        guard unsafe stat(folder.isEmpty ? "/" : folder, &status) == 0 else {
            throw errno == ENOENT ? .noFolder : .system(errno)
        }
        guard status.st_uid == geteuid() || status.st_uid == 0, status.st_mode & 0o022 == 0 else { throw .openFolder }
    }

    /// Removes a socket at which no process listens.
    private static func removeStale(_ path: String) throws(ListeningSocketError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket }
        let probe = try Descriptor.ofSocket()
        let number = probe.number
        guard unsafe with(path, { unsafe connect(number, $0, $1) }) != 0, errno == ECONNREFUSED else { throw .inUse }
        guard unsafe unlink(path) == 0 else { throw .system(errno) }
    }

    /// Calls a function with the address of a path.
    private static func with(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        return unsafe withUnsafePointer(to: &name) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe body(address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// The owner of a file descriptor.
private struct Descriptor: ~Copyable {
    let number: Int32

    /// - Parameter number: The result of the system call that opens it.
    /// - Throws: ``ListeningSocketError/system(_:)`` if that call failed.
    init(_ number: Int32) throws(ListeningSocketError) {
        guard number >= 0 else { throw .system(errno) }
        self.number = number
    }

    deinit { close(number) }

    static func ofSocket() throws(ListeningSocketError) -> Self {
        try Self(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0))
    }

    /// Leaves the descriptor open.
    consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }
}
