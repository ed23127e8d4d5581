internal import Standards
internal import Synchronization

/// Counts and limits the requests in flight and the request bodies being received, and refuses requests during
/// shutdown.
package final class ConcurrencyLimit: Sendable {
    private let maximum: Int
    private let maximumBodies: Int
    private let state = Mutex<State>(State())

    private enum Phase {
        case open
        /// Requests are accepted, but `/readyz` fails.
        case ending
        /// New requests are refused.
        case draining
    }

    private struct State {
        var inFlight = 0
        var bodies = 0
        var phase = Phase.open
        /// Connections and streams whose response is written and cannot be sent, because the client does not read.
        var unread = WaitingList()
    }

    /// The place of a request in flight, which it has while something refers to it: the task that responds, and then
    /// ``SentResponses`` until the last octet of the response is sent.
    final class Place: Sendable {
        private let concurrencyLimit: ConcurrencyLimit
        /// Why the request must be refused; its response has a place all the same.
        let refusal: Refusal?

        fileprivate init(_ concurrencyLimit: ConcurrencyLimit, refusal: Refusal?) {
            self.concurrencyLimit = concurrencyLimit
            self.refusal = refusal
        }

        deinit { concurrencyLimit.leave() }

        /// Lets the client of the place lose it to the next request if all places are taken.
        func offer(_ occupant: Occupant) {
            concurrencyLimit.state.withLock { $0.unread.append(occupant) }
        }

        /// Ends what ``offer(_:)`` began.
        func keep(_ occupant: Occupant) {
            concurrencyLimit.state.withLock { $0.unread.remove(occupant) }
        }
    }

    /// Creates the limit.
    ///
    /// - Parameters:
    ///   - maximum: Concurrent requests, without those whose body is being received.
    ///   - maximumBodies: Concurrent requests whose body is being received. They have a limit of their own, so that
    ///     clients that send slowly do not block the others.
    package init(maximum: Int, maximumBodies: Int) {
        self.maximum = maximum
        self.maximumBodies = maximumBodies
    }

    private var noPlace: Refusal {
        .overloaded.with(finding: "\(maximum) requests are in flight, which is the limit server.max_in_flight")
    }

    package var inFlight: Int { state.withLock { $0.inFlight } }
    package var bodies: Int { state.withLock { $0.bodies } }
    /// Whether a shutdown has begun.
    package var isEnding: Bool { state.withLock { $0.phase != .open } }
    package var isDraining: Bool { state.withLock { $0.phase == .draining } }

    /// Makes `/readyz` fail from now on; requests are still accepted.
    func announceDrain() {
        state.withLock { if $0.phase == .open { $0.phase = .ending } }
    }

    /// Refuses new requests from now on.
    package func drain() {
        state.withLock { $0.phase = .draining }
    }

    /// Adds a request to the requests in flight.
    ///
    /// If all places are taken, the client that has not read its response for the longest time loses it.
    ///
    /// - Returns: A place, with ``Refusal/draining`` during a shutdown and ``Refusal/overloaded`` if the maximum
    ///   is reached.
    func enter() -> Place {
        let (refusal, oldest) = state.withLock { state in
            defer { state.inFlight += 1 }
            if state.phase == .draining { return (Refusal?.some(.draining), Occupant?.none) }
            guard state.inFlight >= maximum else { return (nil, nil) }
            let oldest = state.unread.popFirst()
            return (oldest == nil ? noPlace : nil, oldest)
        }
        oldest?.giveWay()
        return Place(self, refusal: refusal)
    }

    private func leave() {
        state.withLock { $0.inFlight -= 1 }
    }

    /// Counts the request of the caller as receiving, not as in flight, while `receive` runs.
    ///
    /// - Throws: The error of `receive`, or ``Refusal/overloaded`` if a limit is reached before or after it.
    func whileReceiving<Value>(
        _ receive: () async throws(Refusal) -> Value
    ) async throws(Refusal) -> Value {
        let begins = state.withLock { state in
            guard state.bodies < maximumBodies else { return false }
            state.bodies += 1
            state.inFlight -= 1
            return true
        }
        guard begins else {
            throw .overloaded.with(finding: "\(maximumBodies) bodies are being received, as many as may be connections")
        }
        let result: Result<Value, Refusal>
        do throws(Refusal) {
            result = .success(try await receive())
        } catch {
            result = .failure(error)
        }
        // Counted even above the maximum, because the place remains in any case.
        let (isAdmitted, oldest) = state.withLock { state in
            state.bodies -= 1
            state.inFlight += 1
            guard state.inFlight > maximum else { return (true, Occupant?.none) }
            let oldest = state.unread.popFirst()
            return (oldest != nil, oldest)
        }
        oldest?.giveWay()
        let value = try result.get()
        guard isAdmitted else { throw noPlace }
        return value
    }
}
