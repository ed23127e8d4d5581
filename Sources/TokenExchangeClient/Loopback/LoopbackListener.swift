#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Why a loopback connection cannot be made or used.
package enum LoopbackError: Error, Equatable, Sendable {
    /// The task was cancelled while it waited.
    case cancelled
    /// A system call failed with this `errno`.
    case system(Int32)
}

/// A TCP listener on a free port of 127.0.0.1, which other computers cannot reach.
///
/// Foundation has no listening socket on Linux.
package final class LoopbackListener: Sendable {
    private let descriptor: Descriptor
    /// The port that the system chose.
    package let port: UInt16

    /// Listens from now on.
    ///
    /// - Throws: ``LoopbackError/system(_:)``.
    package init() throws(LoopbackError) {
        #if canImport(Darwin) || canImport(Musl)
            let kind = SOCK_STREAM
        #else
            let kind = Int32(SOCK_STREAM.rawValue)
        #endif
        descriptor = try Descriptor(socket(AF_INET, kind, 0))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let number = descriptor.number
        try Descriptor.check(
            unsafe withUnsafePointer(to: &address) { address in
                unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(number, $0, size) }
            })
        try Descriptor.check(listen(number, 16))
        try Descriptor.check(
            unsafe withUnsafeMutablePointer(to: &address) { address in
                unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe getsockname(number, $0, &size)
                }
            })
        port = UInt16(bigEndian: address.sin_port)
    }

    /// Waits for the next connection.
    package func accept() async throws(LoopbackError) -> LoopbackConnection {
        while true {
            let number = descriptor.acceptedConnection()
            if number >= 0 { return LoopbackConnection(try Descriptor(number)) }
            switch errno {
            case EAGAIN, EWOULDBLOCK: try await descriptor.wait(for: .readable)
            // The browser hung up before it was accepted.
            case EINTR, ECONNABORTED: continue
            case let code: throw .system(code)
            }
        }
    }
}

/// One connection to a ``LoopbackListener``, which is closed when the last reference to it ends.
package final class LoopbackConnection: Sendable {
    private let descriptor: Descriptor

    fileprivate init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
    }

    /// Waits for bytes.
    ///
    /// - Parameter limit: The maximum number of bytes.
    /// - Returns: At least one byte; an empty array at the end of the stream.
    package func read(upTo limit: Int) async throws(LoopbackError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        while true {
            let count = unsafe recv(descriptor.number, &bytes, limit, 0)
            if count >= 0 { return Array(bytes.prefix(count)) }
            switch errno {
            case EAGAIN, EWOULDBLOCK: try await descriptor.wait(for: .readable)
            case EINTR: continue
            case let code: throw .system(code)
            }
        }
    }

    /// Writes all bytes, then the end of the stream.
    package func finish(writing bytes: [UInt8]) async throws(LoopbackError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe send(descriptor.number, bytes.baseAddress, bytes.count, Descriptor.sendFlags)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch errno {
            case EAGAIN, EWOULDBLOCK: try await descriptor.wait(for: .writable)
            case EINTR: continue
            case let code: throw .system(code)
            }
        }
        shutdown(descriptor.number, Descriptor.writeSide)
    }
}
