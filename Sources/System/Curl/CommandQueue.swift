internal import Transport

/// The queue of commands from the callers' threads to the engine's thread.
final class CommandQueue: Sendable {
    enum Command: Sendable {
        case submit(Call)
        case cancel(Call)
    }

    private struct State: Sendable {
        /// The handle to wake; `nil` once the engine has ended and must not be woken.
        var multi: MultiHandle?
        var commands: [Command] = []
        var wakeUpIsPending = false
        var isStopping = false
        var hasEnded = false
        var endWaiters: [CheckedContinuation<Void, Never>] = []

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

    /// Appends a command.
    ///
    /// - Returns: `false` if the engine is stopping and will not read the command.
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

    /// Removes and returns all commands; `nil` if the engine has to stop.
    func take() -> [Command]? {
        state.withLock { state in
            state.wakeUpIsPending = false
            guard !state.isStopping else { return nil }
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Closes the queue when the engine ends, so that the engine is not woken afterwards.
    ///
    /// - Returns: The commands that were not read.
    func close() -> [Command] {
        state.withLock { state in
            state.multi = nil
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Resumes the callers of ``untilEnd()``, after the engine has closed its connections.
    func end() {
        let endWaiters = state.withLock { state in
            state.hasEnded = true
            defer { state.endWaiters = [] }
            return state.endWaiters
        }
        for waiter in endWaiters { waiter.resume() }
    }

    func untilEnd() async {
        await withCheckedContinuation { waiter in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.endWaiters.append(waiter) }
                return state.hasEnded
            }
            if hasEnded { waiter.resume() }
        }
    }
}

/// One call of ``CurlTransport``, whose caller waits for a response.
///
/// Waiting, finishing and cancelling may happen on any thread, in any order.
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

    /// Makes a call after checking the URL and the header fields.
    ///
    /// - Throws: `TransportError.refusedURL`.
    init(_ request: OutboundRequest, now: ContinuousClock.Instant) throws(TransportError) {
        target = try Target(
            request.url, reachesMetadataServer: request.reachesMetadataServer, plainHTTPHosts: request.plainHTTPHosts)
        try FieldRule.check(request.header)
        self.request = request
        deadline = now + request.timeout
    }

    /// Keeps the continuation of the caller.
    ///
    /// - Returns: `false` if the call was cancelled before. The continuation is then already resumed.
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

    /// Cancels the call.
    ///
    /// - Returns: Whether the engine has to be notified.
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

    /// Resumes the caller.
    ///
    /// Only the first outcome has an effect.
    func finish(_ outcome: Outcome) {
        let continuation: CheckedContinuation<Outcome, Never>? = state.withLock { state in
            guard case .waiting(let continuation, _) = state else { return nil }
            state = .over
            return continuation
        }
        continuation?.resume(returning: outcome)
    }
}
