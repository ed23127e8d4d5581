import Glibc

/// The POSIX socket calls of a test server.
enum Sockets {
    struct Failure: Error {
        let function: String
        let code: Int32
    }

    /// A listening socket on a free port of 127.0.0.1.
    static func listenOnFreePort() throws(Failure) -> (socket: Int32, port: UInt16) {
        let listener = try newSocket()
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = unsafe inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listener, address, size) == 0 && getsockname(listener, address, &size) == 0
            }
        }
        guard bound, listen(listener, 512) == 0 else { throw Failure(function: "bind", code: errno) }
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    /// A port without a listener.
    static func unusedPort() throws(Failure) -> UInt16 {
        let (socket, port) = try listenOnFreePort()
        release(socket)
        return port
    }

    /// A connection to a port of 127.0.0.1.
    static func connect(to port: UInt16) throws(Failure) -> Int32 {
        let socket = try newSocket()
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = unsafe inet_addr("127.0.0.1")
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe Glibc.connect(socket, address, size) == 0
            }
        }
        guard isConnected else { throw Failure(function: "connect", code: errno) }
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        return socket
    }

    static func next(_ listener: Int32) -> Int32? {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return nil }
        // A process that another test starts must not keep the connection open.
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        return connection
    }

    static func sendAll(_ bytes: [UInt8], to socket: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = unsafe rest.withUnsafeBytes { bytes in
                unsafe send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    /// Reads octets; `nil` at the end of the stream.
    static func receive(from socket: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe recv(socket, bytes.baseAddress, bytes.count, 0)
        }
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }

    /// Makes `close` send RST instead of FIN.
    static func resetOnClose(_ socket: Int32) {
        var linger = linger(l_onoff: 1, l_linger: 0)
        _ = unsafe setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }

    /// Wakes threads that wait on the socket.
    ///
    /// The descriptor stays open.
    static func shutDown(_ socket: Int32) {
        _ = shutdown(socket, Int32(SHUT_RDWR))
    }

    static func release(_ socket: Int32) {
        _ = close(socket)
    }

    private static func newSocket() throws(Failure) -> Int32 {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw Failure(function: "socket", code: errno) }
        return socket
    }
}
