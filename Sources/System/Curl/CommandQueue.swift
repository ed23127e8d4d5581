internal import Transport

/// The only way from the callers' threads to the engine's.
final class CommandQueue: Sendable {
    enum Command: Sendable {
        case submit(Call)
        case cancel(Call)
    }

    private struct State: Sendable {
        /// Nil once the engine has left, and with it the permission to wake it.
        var multi: MultiHandle?
        var commands: [Command] = []
        var wakeUpIsPending = false
        var isStopping = false
        var hasEnded = false
        var farewells: [CheckedContinuation<Void, Never>] = []

        mutating func wakeUp() {
            guard !wakeUpIsPending, let multi else { return }
            wakeUpIsPending = true
            multi.wakeUp()
        }
    }

    private let state: Guarded<State>

    init(waking multi: MultiHandle) {
        state = Guarded(State(multi: multi))
    }

    /// False if nobody will read it.
    func post(_ command: Command) -> Bool {
        state.withLock { state in
            guard !state.isStopping else { return false }
            state.commands.append(command)
            state.wakeUp()
            return true
        }
    }

    func stop() {
        state.withLock { state in
            state.isStopping = true
            state.wakeUp()
        }
    }

    /// All commands since the last time; nil when the engine shall stop.
    func take() -> [Command]? {
        state.withLock { state in
            state.wakeUpIsPending = false
            guard !state.isStopping else { return nil }
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// The engine leaves: it is not woken any more.
    ///
    /// Answers the commands that nobody has read.
    func close() -> [Command] {
        state.withLock { state in
            state.multi = nil
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// The engine is gone, and its connections with it.
    func end() {
        let farewells = state.withLock { state in
            state.hasEnded = true
            defer { state.farewells = [] }
            return state.farewells
        }
        for farewell in farewells { farewell.resume() }
    }

    func untilEnd() async {
        await withCheckedContinuation { farewell in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.farewells.append(farewell) }
                return state.hasEnded
            }
            if hasEnded { farewell.resume() }
        }
    }
}

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
