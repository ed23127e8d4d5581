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
