internal import Logging
internal import Synchronization
internal import Transport

/// Logs that the outbound proxy does not connect, at most once a minute for each of its statuses.
final class ProxyFailureLog: Sendable {
    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant
    private let last = Mutex<[Int?: ContinuousClock.Instant]>([:])

    init(_ logger: Logger, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.logger = logger
        self.now = now
    }

    /// Returns a transport whose failures at the proxy are logged.
    func observing(_ transport: HTTPTransport) -> HTTPTransport {
        HTTPTransport { [self] request throws(TransportError) in
            do throws(TransportError) {
                return try await transport.send(request)
            } catch {
                if case .proxyFailed(_, let host, let status) = error, isDue(status) {
                    logger.error(
                        "outbound proxy",
                        metadata: ["problem": "\(error.sentence)", "advice": "\(error.remedy(reaching: host))"])
                }
                throw error
            }
        }
    }

    private func isDue(_ status: Int?) -> Bool {
        let now = now()
        return last.withLock { last in
            if let before = last[status], before.duration(to: now) < .seconds(60) { return false }
            last[status] = now
            return true
        }
    }
}
