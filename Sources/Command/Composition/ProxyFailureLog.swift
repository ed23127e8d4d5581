internal import Synchronization
internal import Transport

/// Reports failures of the outbound proxy, at most one a minute for each status.
final class ProxyFailureLog: Sendable {
    private let now: @Sendable () -> ContinuousClock.Instant
    private let report: @Sendable (TransportError) -> Void
    private let last = Mutex<[Int?: ContinuousClock.Instant]>([:])

    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        _ report: @escaping @Sendable (TransportError) -> Void
    ) {
        self.now = now
        self.report = report
    }

    /// Returns a transport whose failures at the proxy are reported.
    func observing(_ transport: HTTPTransport) -> HTTPTransport {
        HTTPTransport { [self] request throws(TransportError) in
            do throws(TransportError) {
                return try await transport.send(request)
            } catch {
                if case .proxyFailed(_, _, let status, _) = error, isDue(status) { report(error) }
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
