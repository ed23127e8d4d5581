internal import Logging
internal import Synchronization

/// Counts what had to give way on a listener, and reports it in the log once a minute at most.
final class FullNotice: Sendable {
    private let listener: String
    private let metrics: Metrics
    private let logger: Logger
    private let reported = Mutex<ContinuousClock.Instant?>(nil)

    init(listener: String, metrics: Metrics, logger: Logger) {
        self.listener = listener
        self.metrics = metrics
        self.logger = logger
    }

    /// - Parameter kind: `connections` or `streams`.
    func record(_ kind: String) {
        metrics.recordGivenWay(listener: listener, kind: kind)
        let now = ContinuousClock.now
        let isDue = reported.withLock { reported in
            if let last = reported, now < last + .seconds(60) { return false }
            reported = now
            return true
        }
        guard isDue else { return }
        logger.warning(
            "a listener or a network has as many connections as it may have: those that wait longest for their clients are closed (reported once a minute)",
            metadata: [
                "listener": "\(listener)", "kind": "\(kind)",
                "advice": """
                if these are your users, give the process more memory and descriptors; if one address is that of your \
                proxy, add it to server.trusted_proxies as a block (with /32, or /128 for IPv6)
                """,
            ])
    }
}
