internal import CoreMetrics
package import Transport

extension Metrics {
    /// Returns a transport that measures each call, by peer, kind of call and outcome.
    ///
    /// Calls without a queue are not measured: the labels are the names of the queue.
    package func measuring(_ transport: HTTPTransport) -> HTTPTransport {
        HTTPTransport { request throws(TransportError) in
            guard let queue = request.queue else { return try await transport.send(request) }
            let labels = [("peer", queue.peer), ("call", queue.call)]
            if request.isPaid { count("token_exchange_paid_calls_total", [("provider", queue.peer)]) }
            let began = ContinuousClock.now
            func record(_ outcome: String) {
                count("token_exchange_peer_calls_total", labels + [("outcome", outcome)])
                Timer(label: "token_exchange_peer_call_seconds", dimensions: labels, factory: factory)
                    .recordNanoseconds((ContinuousClock.now - began).nanoseconds)
            }
            do throws(TransportError) {
                let response = try await transport.send(request)
                // RFC 9110 §15: a client treats an unknown status as the x00 of its class. It has one label here, so that a
                // peer cannot create a thousand series.
                record(Self.statuses.contains(response.status) ? String(response.status) : "\(response.status / 100)xx")
                return response
            } catch {
                record(error.label)
                throw error
            }
        }
    }

    private static let statuses: Set<Int> = [200, 204, 400, 401, 402, 403, 404, 408, 429, 500, 502, 503, 504]
}

extension TransportError {
    /// The case without its values, for labels of metrics.
    fileprivate var label: String {
        switch self {
        case .unreachable: "unreachable"
        case .untrusted: "untrusted"
        case .timedOut: "timed_out"
        case .interrupted: "interrupted"
        case .tooLarge: "too_large"
        case .notHTTP: "not_http"
        case .refusedURL: "refused_url"
        case .proxyFailed: "proxy_failed"
        case .overloaded: "overloaded"
        case .circuitOpen: "circuit_open"
        case .cancelled: "cancelled"
        }
    }
}
