// swift-format-ignore-file: AlwaysUseLowerCamelCase
// What TokenExchangeClient uses of the C library.

public typealias socklen_t = UInt32
public typealias sa_family_t = UInt8
public typealias in_port_t = UInt16

public struct in_addr {
    public init(s_addr: UInt32) {}
}

public struct sockaddr {
    public init() {}
}

public struct sockaddr_in {
    public init() {}
    public var sin_len: UInt8 = 0
    public var sin_family: sa_family_t = 0
    public var sin_port: in_port_t = 0
    public var sin_addr = in_addr(s_addr: 0)
}

public var errno: Int32 { 0 }
public var EAGAIN: Int32 { 35 }
public var EWOULDBLOCK: Int32 { 35 }
public var EINTR: Int32 { 4 }
public var ECONNABORTED: Int32 { 53 }
public var F_SETFD: Int32 { 2 }
public var F_SETFL: Int32 { 4 }
public var FD_CLOEXEC: Int32 { 1 }
public var O_NONBLOCK: Int32 { 4 }
public var AF_INET: Int32 { 2 }
public var SOCK_STREAM: Int32 { 1 }
public var SOL_SOCKET: Int32 { 0xffff }
public var SO_NOSIGPIPE: Int32 { 0x1022 }
public var SHUT_WR: Int32 { 1 }

public func fcntl(_ number: Int32, _ command: Int32, _ value: Int32) -> Int32 { 0 }
public func socket(_ domain: Int32, _ kind: Int32, _ transport: Int32) -> Int32 { 0 }
@discardableResult public func listen(_ number: Int32, _ backlog: Int32) -> Int32 { 0 }
@discardableResult public func close(_ number: Int32) -> Int32 { 0 }
@discardableResult public func shutdown(_ number: Int32, _ side: Int32) -> Int32 { 0 }
public func accept(
    _ number: Int32, _ address: UnsafeMutablePointer<sockaddr>?, _ size: UnsafeMutablePointer<socklen_t>?
) -> Int32 { 0 }
public func bind(_ number: Int32, _ address: UnsafePointer<sockaddr>?, _ size: socklen_t) -> Int32 { 0 }
public func getsockname(
    _ number: Int32, _ address: UnsafeMutablePointer<sockaddr>?, _ size: UnsafeMutablePointer<socklen_t>?
) -> Int32 { 0 }
public func setsockopt(
    _ number: Int32, _ level: Int32, _ name: Int32, _ value: UnsafeRawPointer?, _ size: socklen_t
) -> Int32 { 0 }
public func recv(_ number: Int32, _ octets: UnsafeMutableRawPointer?, _ count: Int, _ flags: Int32) -> Int { 0 }
public func send(_ number: Int32, _ octets: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int { 0 }
