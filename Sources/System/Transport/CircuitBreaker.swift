internal import Synchronization

/// Stops calls to peers that fail, so that requests do not wait for a peer that is down, and the peer can recover.
///
/// The calls of each ``CallQueue`` are counted separately. After a number of failures without a success between them, the
/// circuit of the queue is open: calls fail at once with ``TransportError/circuitOpen(peer:retryAfter:)``. After five
/// seconds one call is tried. If it fails, the circuit is open for twice as long, at most one minute; if it gets an
/// answer, the circuit is closed.
///
/// A call fails if no response arrives, or one with 502, 503 or 504 (RFC 9110 §15.6). Other responses are answers of the
/// peer, which no client can turn into failures.
package final class CircuitBreaker: Sendable {
    private enum State {
        case closed(failures: Int)
        case open(until: ContinuousClock.Instant, wait: Duration)
        /// One call is being tried.
        case trying(wait: Duration)
    }

    private enum Outcome { case success, failure, unknown }

    private static let firstWait = Duration.seconds(5)
    private static let longestWait = Duration.seconds(60)

    private let maximumFailures: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let states = Mutex<[CallQueue: State]>([:])

    /// Creates a breaker whose circuits are closed.
    ///
    /// - Parameter maximumFailures: The number of failures that opens a circuit; at least 1.
    package init(
        maximumFailures: Int, now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.maximumFailures = maximumFailures
        self.now = now
    }

    /// Returns a transport whose calls the breaker stops.
    ///
    /// - Parameter applies: Whether the breaker counts and stops the calls of a queue. Calls without a queue are always
    ///   sent.
    /// - Returns: The transport, which shares its circuits with others of this breaker.
    package func protecting(
        _ transport: HTTPTransport, where applies: @escaping @Sendable (CallQueue) -> Bool
    ) -> HTTPTransport {
        HTTPTransport { [self] request throws(TransportError) in
            guard let queue = request.queue, applies(queue) else { return try await transport.send(request) }
            let isTrial = try begin(queue)
            do throws(TransportError) {
                let response = try await transport.send(request)
                end(queue, [502, 503, 504].contains(response.status) ? .failure : .success, isTrial: isTrial)
                return response
            } catch {
                end(queue, Self.outcome(of: error), isTrial: isTrial)
                throw error
            }
        }
    }

    /// Returns whether the call is the one that is tried.
    private func begin(_ queue: CallQueue) throws(TransportError) -> Bool {
        let now = now()
        return try states.withLock { states throws(TransportError) in
            switch states[queue] {
            case nil, .closed: return false
            case .open(let until, let wait):
                guard now < until else {
                    states[queue] = .trying(wait: wait)
                    return true
                }
                throw .circuitOpen(peer: queue.peer, retryAfter: Self.wholeSeconds(until - now))
            case .trying: throw .circuitOpen(peer: queue.peer, retryAfter: 1)
            }
        }
    }

    private func end(_ queue: CallQueue, _ outcome: Outcome, isTrial: Bool) {
        let now = now()
        states.withLock { states in
            switch (states[queue] ?? .closed(failures: 0), outcome) {
            // Also a call that began before the circuit opened shows that the peer answers.
            case (_, .success): states[queue] = .closed(failures: 0)
            case (.closed(let failures), .failure):
                states[queue] =
                    failures + 1 < maximumFailures
                    ? .closed(failures: failures + 1) : .open(until: now + Self.firstWait, wait: Self.firstWait)
            case (.trying(let wait), .failure) where isTrial:
                let next = min(wait * 2, Self.longestWait)
                states[queue] = .open(until: now + next, wait: next)
            // The next call is tried in its place.
            case (.trying(let wait), .unknown) where isTrial: states[queue] = .open(until: now, wait: wait)
            case (.closed, .unknown), (.open, _), (.trying, _): break
            }
        }
    }

    private static func outcome(of error: TransportError) -> Outcome {
        switch error {
        case .unreachable, .untrusted, .timedOut, .interrupted, .notHTTP, .proxyFailed: .failure
        // The peer answered, or was not asked.
        case .tooLarge, .refusedURL, .overloaded, .circuitOpen, .cancelled: .unknown
        }
    }

    /// Rounds up to at least 1.
    private static func wholeSeconds(_ duration: Duration) -> Int {
        let (seconds, attoseconds) = duration.components
        return max(1, Int(seconds) + (attoseconds > 0 ? 1 : 0))
    }
}
