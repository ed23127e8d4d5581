internal import Transport

/// One caller's wait for an answer.
///
/// It may be asked for, answered and given up from any thread, in any order.
final class Call: Sendable {
    typealias Outcome = Result<OutboundResponse, TransportError>

    private enum State: Sendable {
        case new
        case waiting(CheckedContinuation<Outcome, Never>, isCancelled: Bool)
        case cancelledEarly
        case over
    }

    let request: OutboundRequest
    let target: Target
    let deadline: ContinuousClock.Instant
    private let state = Guarded(State.new)

    /// - Throws: `TransportError.refusedURL`, before anything else happens.
    init(_ request: OutboundRequest, now: ContinuousClock.Instant) throws(TransportError) {
        target = try Target(request.url)
        try FieldRule.check(request.header)
        self.request = request
        deadline = now + request.timeout
    }

    /// Keeps the continuation, unless the caller has given up before: then it is resumed here, and the answer is false.
    func wait(_ continuation: CheckedContinuation<Outcome, Never>) -> Bool {
        let waits = state.withLock { state in
            guard case .new = state else {
                state = .over
                return false
            }
            state = .waiting(continuation, isCancelled: false)
            return true
        }
        if !waits { continuation.resume(returning: .failure(.cancelled(requestSent: false))) }
        return waits
    }

    /// True if the engine has to be told.
    func cancel() -> Bool {
        state.withLock { state in
            switch state {
            case .new:
                state = .cancelledEarly
                return false
            case .waiting(let continuation, isCancelled: false):
                state = .waiting(continuation, isCancelled: true)
                return true
            case .waiting(_, isCancelled: true), .cancelledEarly, .over:
                return false
            }
        }
    }

    var isCancelled: Bool {
        state.withLock { state in
            guard case .waiting(_, isCancelled: true) = state else { return false }
            return true
        }
    }

    /// The first outcome counts.
    func finish(_ outcome: Outcome) {
        let continuation: CheckedContinuation<Outcome, Never>? = state.withLock { state in
            guard case .waiting(let continuation, _) = state else { return nil }
            state = .over
            return continuation
        }
        continuation?.resume(returning: outcome)
    }
}
