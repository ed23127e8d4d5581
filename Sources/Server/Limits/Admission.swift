internal import Synchronization

/// How many requests are being answered, and whether more may come.
package final class Admission: Sendable {
    private let maximum: Int
    private let state = Mutex<State>(State())

    private struct State {
        var inFlight = 0
        var isDraining = false
    }

    package init(maximum: Int) {
        self.maximum = maximum
    }

    package var inFlight: Int { state.withLock { $0.inFlight } }
    package var isDraining: Bool { state.withLock { $0.isDraining } }

    /// From now on nobody new is let in.
    package func drain() {
        state.withLock { $0.isDraining = true }
    }

    /// Must be paired with ``leave()``.
    func enter() throws(RequestError) {
        let refusal: RequestError? = state.withLock { state in
            if state.isDraining { return .draining }
            if state.inFlight >= maximum { return .overloaded }
            state.inFlight += 1
            return nil
        }
        if let refusal { throw refusal }
    }

    func leave() {
        state.withLock { $0.inFlight -= 1 }
    }
}
