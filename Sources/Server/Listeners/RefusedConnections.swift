internal import Logging
internal import Synchronization

/// Counts connections that do not begin as the PROXY protocol requires, and reports them in the log.
///
/// A reason is reported once a minute at most, because a client that should not reach the port can cause it at any rate.
final class RefusedConnections: Sendable {
    private let metrics: Metrics
    private let reported = Mutex<[ProxyHeaderError: ContinuousClock.Instant]>([:])

    init(_ metrics: Metrics) {
        self.metrics = metrics
    }

    func record(_ error: ProxyHeaderError, peer: String, _ logger: Logger) {
        metrics.recordRefusedConnection(reason: error.rawValue)
        let now = ContinuousClock.now
        let isDue = reported.withLock { reported in
            if let last = reported[error], now < last + .seconds(60) { return false }
            reported[error] = now
            return true
        }
        guard isDue else { return }
        var metadata: Logger.Metadata = ["reason": "\(error.rawValue)", "address": "\(peer)"]
        metadata["advice"] = error.advice.map { "\($0)" }
        logger.warning(
            "a connection without a valid header of the PROXY protocol was closed (reported once a minute)",
            metadata: metadata)
    }
}

extension ProxyHeaderError {
    /// What an operator can do; `nil` if a proxy sends what the protocol forbids.
    fileprivate var advice: String? {
        switch self {
        case .untrustedPeer:
            "if this address is your proxy, add it to server.trusted_proxies; otherwise let a firewall keep it from this port"
        case .noHeader:
            "if this address is your proxy, let it send the PROXY protocol, version 2, or set server.proxy_protocol to false; a "
                + "health check needs the header too"
        case .version1:
            "let the proxy send version 2, as send-proxy-v2 of HAProxy does. If it has only version 1, let it send "
                + "X-Forwarded-For, and set server.proxy_protocol to false"
        case .unknownVersion, .unknownCommand, .unsupportedAddresses, .shortAddresses, .tooLong, .incomplete: nil
        }
    }
}
