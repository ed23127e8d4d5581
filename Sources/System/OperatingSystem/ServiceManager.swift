internal import Glibc

/// The service manager that started this process, such as systemd, over the socket of sd_notify(3).
package struct ServiceManager: Sendable, Equatable {
    package enum State: Sendable, Equatable {
        /// The service accepts requests; also after a reload has ended.
        case ready
        case reloading
        case stopping
        /// The service is alive; the manager restarts a service that does not say so in time.
        case alive
    }

    /// The path of a socket, or an abstract name that begins with `@`.
    private let address: String
    /// The longest time between two ``State/alive``; `nil` if the manager expects none.
    package let watchdog: Duration?

    /// Returns `nil` if no manager waits for messages.
    ///
    /// - Parameter environment: The variables `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`.
    package init?(environment: [String: String], processID: Int32 = getpid()) {
        guard let address = environment["NOTIFY_SOCKET"], address.hasPrefix("/") || address.hasPrefix("@"),
            address.utf8.count < Self.maximumLength
        else { return nil }
        self.address = address
        // sd_watchdog_enabled(3): the variables may be meant for a parent that did not remove them.
        let isForUs = environment["WATCHDOG_PID"].map { $0 == String(processID) } ?? true
        watchdog = environment["WATCHDOG_USEC"].flatMap(Int64.init)
            .flatMap { isForUs && $0 > 0 ? .microseconds($0) : nil }
    }

    /// Tells the manager the state.
    ///
    /// - Returns: `false` if the message could not be sent. A service continues without its manager.
    @discardableResult
    package func tell(_ state: State) -> Bool {
        switch state {
        case .ready: send("READY=1")
        // sd_notify(3): the manager compares this time with that of its request to reload.
        case .reloading: send("RELOADING=1\nMONOTONIC_USEC=\(Self.monotonicMicroseconds)")
        case .stopping: send("STOPPING=1")
        case .alive: send("WATCHDOG=1")
        }
    }

    /// The size of `sun_path` (unix(7)).
    private static let maximumLength = 108

    private static var monotonicMicroseconds: Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    private func send(_ message: String) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        // unix(7): an abstract name begins with a null byte and has no terminator.
        var path = Array(address.utf8)
        let length = MemoryLayout<sa_family_t>.size + path.count + (path[0] == UInt8(ascii: "@") ? 0 : 1)
        if path[0] == UInt8(ascii: "@") { path[0] = 0 }
        unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: path) }
        let bytes = Array(message.utf8)
        let sent = unsafe withUnsafePointer(to: &name) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe sendto(
                    descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, socklen_t(length))
            }
        }
        return sent == bytes.count
    }
}
