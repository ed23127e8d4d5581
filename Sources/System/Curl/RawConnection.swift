internal import CCurl
internal import Dispatch

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A connection on which every byte is the caller's: TCP, and TLS where the URL says https.
///
/// For those who test servers: libcurl connects (CURLOPT_CONNECT_ONLY) and then carries what it is given, be it HTTP or
/// not. Each connection works on a queue of its own, so that a hundred of them may wait at once.
package final class RawConnection: @unchecked Sendable {
    /// Touched on the queue alone, hence the unchecked conformance.
    private let handle: EasyHandle
    private let queue = DispatchQueue(label: "raw connection")
    /// Touched on the queue alone; -1 until there is a connection.
    private var descriptor: curl_socket_t = -1

    private init(_ handle: consuming EasyHandle) {
        self.handle = handle
    }

    /// Connects; never throws ``RawConnectionError/closed``.
    ///
    /// - `url`: scheme, host and port; a path is not looked at.
    /// - `source`: the address of this machine that the peer sees; nil leaves it to the system.
    /// - `timeout`: for name lookup, TCP and TLS together.
    package static func open(
        _ url: String, from source: String? = nil, within timeout: Duration, caBundle: String? = nil
    ) async throws(RawConnectionError) -> RawConnection {
        let connection: RawConnection
        do {
            connection = RawConnection(
                try Self.handle(for: url, from: source, within: timeout, caBundle: caBundle))
        } catch {
            throw .unusable(error.code)
        }
        try await connection.onQueue(connection.connect)
        return connection
    }

    private func connect() throws(RawConnectionError) {
        let status = unsafe curl_easy_perform(handle.pointer)
        guard status == CURLE_OK else { throw .notConnected(unsafe String(cString: curl_easy_strerror(status))) }
        _ = unsafe curl_easy_getinfo_socket(handle.pointer, CURLINFO_ACTIVESOCKET, &descriptor)
    }

    private static func handle(
        for url: String, from source: String?, within timeout: Duration, caBundle: String?
    ) throws(CurlError) -> EasyHandle {
        try CurlLibrary.start()
        let handle = try EasyHandle()
        try handle.set(CURLOPT_URL, url)
        try handle.set(CURLOPT_CONNECT_ONLY, 1)
        try handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
        try handle.set(CURLOPT_PROXY, "")
        try handle.set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        try handle.set(CURLOPT_NOSIGNAL, 1)
        try handle.set(CURLOPT_CONNECTTIMEOUT_MS, timeout.atLeastOneMillisecond)
        // Bytes of HTTP/1.1 follow: nothing else may be agreed on.
        try handle.set(CURLOPT_SSL_ENABLE_ALPN, 0)
        var configuration = CurlConfiguration()
        configuration.caBundle = caBundle
        try handle.set(CURLOPT_CAINFO, configuration.effectiveCABundle)
        if let source { try handle.set(CURLOPT_INTERFACE, "host!" + source) }
        return handle
    }

    /// Sends all of `bytes`.
    package func send(_ bytes: [UInt8], within timeout: Duration) async throws(RawConnectionError) {
        try await onQueue { () throws(RawConnectionError) in
            let end = ContinuousClock.now + timeout
            var sent = 0
            while sent < bytes.count {
                var count = 0
                let status = unsafe bytes.withUnsafeBytes { buffer in
                    unsafe curl_easy_send(
                        self.handle.pointer, buffer.baseAddress?.advanced(by: sent), bytes.count - sent, &count)
                }
                sent += count
                switch status {
                case CURLE_OK: continue
                case CURLE_AGAIN: try self.wait(for: Int16(POLLOUT), until: end)
                default: throw .closed
                }
            }
        }
    }

    /// What has arrived, at most 64 KiB; waits for the first byte.
    ///
    /// - Throws: ``RawConnectionError/closed`` where nothing more will come.
    package func receive(within timeout: Duration) async throws(RawConnectionError) -> [UInt8] {
        try await onQueue { () throws(RawConnectionError) in
            let end = ContinuousClock.now + timeout
            while true {
                var count = 0
                var status = CURLE_OK
                let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, filled in
                    status = unsafe curl_easy_recv(self.handle.pointer, buffer.baseAddress, buffer.count, &count)
                    filled = status == CURLE_OK ? count : 0
                }
                switch status {
                case CURLE_OK where !bytes.isEmpty: return bytes
                case CURLE_AGAIN: try self.wait(for: Int16(POLLIN), until: end)
                default: throw .closed
                }
            }
        }
    }

    /// Tells the peer that nothing more is sent, and goes on listening.
    package func finishSending() async {
        _ = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: shutdown(self.descriptor, Int32(SHUT_WR))) }
        }
    }

    private func wait(for events: Int16, until end: ContinuousClock.Instant) throws(RawConnectionError) {
        let remaining = ContinuousClock.now.duration(to: end)
        guard remaining > .zero else { throw .timedOut }
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        // A signal only makes the caller ask once more.
        _ = unsafe poll(&entry, 1, Int32(clamping: remaining.atLeastOneMillisecond))
    }

    private func onQueue<Value: Sendable>(
        _ work: @escaping @Sendable () throws(RawConnectionError) -> Value
    ) async throws(RawConnectionError) -> Value {
        let outcome: Result<Value, RawConnectionError> = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Result(catching: work)) }
        }
        return try outcome.get()
    }
}
