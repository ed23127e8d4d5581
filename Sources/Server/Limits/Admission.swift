internal import Synchronization

/// How many requests are being worked on, how many bodies are being received, and whether more may come.
package final class Admission: Sendable {
    private let maximum: Int
    private let maximumBodies: Int
    private let state = Mutex<State>(State())

    private enum Phase {
        case open
        /// Requests are answered; `/readyz` says that this will end.
        case ending
        /// No new request is answered.
        case draining
    }

    private struct State {
        var inFlight = 0
        var bodies = 0
        var phase = Phase.open
    }

    /// - Parameters:
    ///   - maximum: Requests that are worked on at once.
    ///   - maximumBodies: Requests whose bodies are received at once. A client that sends its body slowly counts here,
    ///     so that it takes no place from those that have sent theirs.
    package init(maximum: Int, maximumBodies: Int) {
        self.maximum = maximum
        self.maximumBodies = maximumBodies
    }

    package var inFlight: Int { state.withLock { $0.inFlight } }
    package var bodies: Int { state.withLock { $0.bodies } }
    /// Whether a shutdown has begun.
    package var isEnding: Bool { state.withLock { $0.phase != .open } }
    package var isDraining: Bool { state.withLock { $0.phase == .draining } }

    /// From now on `/readyz` fails, and requests are answered as before.
    func announceDrain() {
        state.withLock { if $0.phase == .open { $0.phase = .ending } }
    }

    /// From now on new requests are refused.
    package func drain() {
        state.withLock { $0.phase = .draining }
    }

    /// Must be paired with ``leave()``.
    func enter() throws(RequestError) {
        let refusal: RequestError? = state.withLock { state in
            if state.phase == .draining { return .draining }
            if state.inFlight >= maximum { return .overloaded }
            state.inFlight += 1
            return nil
        }
        if let refusal { throw refusal }
    }

    func leave() {
        state.withLock { $0.inFlight -= 1 }
    }

    /// Gives the place of the caller's request up while `receive` waits for the client, and takes one again.
    ///
    /// - Throws: What `receive` throws; ``RequestError/overloaded`` if there is no place, before or after it.
    func whileReceiving<Value>(
        _ receive: () async throws(RequestError) -> Value
    ) async throws(RequestError) -> Value {
        let begins = state.withLock { state in
            guard state.bodies < maximumBodies else { return false }
            state.bodies += 1
            state.inFlight -= 1
            return true
        }
        guard begins else { throw .overloaded }
        let result: Result<Value, RequestError>
        do throws(RequestError) {
            result = .success(try await receive())
        } catch {
            result = .failure(error)
        }
        // The place is counted even if there is none, since ``leave()`` follows in any case.
        let hasPlace = state.withLock { state in
            state.bodies -= 1
            state.inFlight += 1
            return state.inFlight <= maximum
        }
        let value = try result.get()
        guard hasPlace else { throw .overloaded }
        return value
    }
}
