internal import CCurl
internal import Curl
internal import Dispatch

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The reason why a ``RawConnection`` failed.
package enum RawConnectionError: Error, Equatable, Sendable {
    /// The C library or the URL cannot be used.
    case unusable(String)
    /// No server listens at the address, its name is unknown, or TLS failed; with libcurl's text.
    case notConnected(String)
    /// The peer closed or reset the connection.
    case closed
    case timedOut
}

/// A connection on which the caller chooses every byte: TCP, and TLS if the URL says https.
///
/// It serves tests of HTTP servers. libcurl only connects (CURLOPT_CONNECT_ONLY(3)) and then transports any bytes, HTTP
/// or not. The functions block. Each connection has its own dispatch queue, so that a hundred can wait at once without
/// occupying the threads of Swift's concurrency.
package actor RawConnection {
    private let queue: BlockingQueue
    private let handle: ConnectHandle
    /// The descriptor of the connected socket; -1 until there is a connection.
    private var descriptor: curl_socket_t = -1

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }

    private init(to url: String, from source: String?, within timeout: Duration, caBundle: String?) throws(CurlError) {
        let handle = try ConnectHandle()
        try handle.prepare(for: url, from: source, within: timeout, caBundle: caBundle)
        queue = BlockingQueue()
        self.handle = handle
    }

    /// Connects to the server of `url`.
    ///
    /// - Parameters:
    ///   - url: Scheme, host and port. A path is ignored.
    ///   - source: The local IP address that the peer sees; `nil` leaves the choice to the system.
    ///   - timeout: The time for name lookup, TCP and TLS together.
    ///   - caBundle: A PEM file with the trusted authorities; `nil` for those of the distribution.
    /// - Throws: Any ``RawConnectionError`` except ``RawConnectionError/closed``.
    package static func open(
        _ url: String, from source: String? = nil, within timeout: Duration, caBundle: String? = nil
    ) async throws(RawConnectionError) -> RawConnection {
        let connection: RawConnection
        do {
            connection = try RawConnection(to: url, from: source, within: timeout, caBundle: caBundle)
        } catch {
            throw .unusable("\(error)")
        }
        try await connection.connect()
        return connection
    }

    private func connect() throws(RawConnectionError) {
        let status = unsafe curl_easy_perform(handle.pointer)
        guard status == CURLE_OK else { throw .notConnected(unsafe String(cString: curl_easy_strerror(status))) }
        _ = unsafe curl_easy_getinfo_socket(handle.pointer, CURLINFO_ACTIVESOCKET, &descriptor)
    }

    /// Sends all of `bytes`.
    package func send(_ bytes: [UInt8], within timeout: Duration) throws(RawConnectionError) {
        let end = ContinuousClock.now + timeout
        var sent = 0
        while sent < bytes.count {
            var count = 0
            let status = unsafe bytes.withUnsafeBytes { buffer in
                unsafe curl_easy_send(
                    handle.pointer, buffer.baseAddress?.advanced(by: sent), bytes.count - sent, &count)
            }
            sent += count
            switch status {
            case CURLE_OK: continue
            case CURLE_AGAIN: try wait(for: Int16(POLLOUT), until: end)
            default: throw .closed
            }
        }
    }

    /// Waits for the first byte and returns what has arrived, at most 64 KiB.
    ///
    /// - Parameter timeout: The time to wait for the first byte.
    /// - Returns: At least one byte.
    /// - Throws: ``RawConnectionError/closed`` if the peer sends no more bytes.
    package func receive(within timeout: Duration) throws(RawConnectionError) -> [UInt8] {
        let end = ContinuousClock.now + timeout
        while true {
            var count = 0
            var status = CURLE_OK
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, filled in
                status = unsafe curl_easy_recv(handle.pointer, buffer.baseAddress, buffer.count, &count)
                filled = status == CURLE_OK ? count : 0
            }
            switch status {
            case CURLE_OK where !bytes.isEmpty: return bytes
            case CURLE_AGAIN: try wait(for: Int16(POLLIN), until: end)
            default: throw .closed
            }
        }
    }

    /// Closes the sending half of the connection; receiving is still possible.
    package func finishSending() {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    private func wait(for events: Int16, until end: ContinuousClock.Instant) throws(RawConnectionError) {
        let remaining = ContinuousClock.now.duration(to: end)
        guard remaining > .zero else { throw .timedOut }
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        // If a signal interrupts poll(2), the caller tries to send or receive again.
        _ = unsafe poll(&entry, 1, Int32(clamping: remaining.wholeMilliseconds))
    }
}

/// The serial queue on which one connection blocks.
private final class BlockingQueue: SerialExecutor {
    private let queue = DispatchQueue(label: "raw connection")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

/// The sole owner of one `CURL` handle.
@safe
private struct ConnectHandle: ~Copyable {
    private static let isInitialized = initialize()

    let pointer: UnsafeMutableRawPointer

    init() throws(CurlError) {
        // curl_easy_init(3): "If this function returns NULL, something went wrong and you cannot use the other curl
        // functions."
        guard Self.isInitialized, let handle = unsafe curl_easy_init() else { throw .initializationFailed }
        unsafe pointer = handle
    }

    deinit { unsafe curl_easy_cleanup(pointer) }

    private static func initialize() -> Bool {
        // If this variable is set, libcurl writes the TLS keys of every connection to the file that it names. The
        // variable is read once, by curl_global_init.
        unsafe unsetenv("SSLKEYLOGFILE")
        // curl_global_init(3) may be called several times; the Curl target calls it too.
        return curl_global_init_default() == CURLE_OK
    }

    /// Prepares the handle for a connection without a transfer.
    borrowing func prepare(
        for url: String, from source: String?, within timeout: Duration, caBundle: String?
    ) throws(CurlError) {
        // CURLOPT_CONNECT_ONLY(3): "perform all the required proxy authentication and connection setup, but no data
        // transfer, and then return."
        try set(CURLOPT_CONNECT_ONLY, 1)
        try set(CURLOPT_URL, url)
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        // CURLOPT_PROXY(3): an empty string disables proxies even if the environment names one.
        try set(CURLOPT_PROXY, "")
        try set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_CONNECTTIMEOUT_MS, timeout.wholeMilliseconds)
        // Without ALPN the server cannot choose HTTP/2: the caller sends bytes of HTTP/1.1.
        try set(CURLOPT_SSL_ENABLE_ALPN, 0)
        try set(CURLOPT_CAINFO, caBundle ?? CurlConfiguration.distributionCABundle)
        if let source { try set(CURLOPT_INTERFACE, "host!" + source) }
    }

    private borrowing func set(_ option: CURLoption, _ value: Int) throws(CurlError) {
        guard unsafe curl_easy_setopt_long(pointer, option, value) == CURLE_OK else {
            throw .unsupportedOption(option.rawValue)
        }
    }

    private borrowing func set(_ option: CURLoption, _ value: String) throws(CurlError) {
        // curl_easy_setopt(3): "Strings passed to libcurl as 'char *' arguments, are copied by the library".
        guard unsafe curl_easy_setopt_string(pointer, option, value) == CURLE_OK else {
            throw .unsupportedOption(option.rawValue)
        }
    }
}

extension Duration {
    /// The duration in milliseconds, rounded up, and at least one: libcurl takes zero for "no limit".
    fileprivate var wholeMilliseconds: Int {
        Int(min(max(1, (self / .milliseconds(1)).rounded(.up)), Double(Int32.max)))
    }
}
