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

    /// - Parameters:
    ///   - kind: `connections` or `streams`.
    ///   - limit: The number that is reached.
    ///   - crowd: What had to give way if it is the number of its network; `nil` for that of the listener.
    func record(_ kind: String, limit: Int, _ crowd: Occupant?) {
        metrics.recordGivenWay(listener: listener, kind: kind)
        let now = ContinuousClock.now
        let isDue = reported.withLock { reported in
            if let last = reported, now < last + .seconds(60) { return false }
            reported = now
            return true
        }
        guard isDue else { return }
        let advice =
            if crowd != nil {
                "if it is the address of your proxy, add it to server.trusted_proxies as a block (with /32, or /128 for IPv6)"
            } else if listener == "admin" {
                "let only probes and the monitoring system reach server.admin_listen"
            } else {
                "if these are your users, give the process more memory and descriptors, or run a second server"
            }
        var metadata: Logger.Metadata = [
            "listener": "\(listener)", "kind": "\(kind)", "limit": "\(limit)", "advice": "\(advice)",
        ]
        metadata["address"] = (crowd?.shown).map { "\($0)" }
        logger.warning(
            """
            \(crowd == nil ? "a listener" : "one address at a listener") has as many connections or streams as it may have: those that \
            wait longest for their clients are closed (reported once a minute)
            """, metadata: metadata)
    }
}
