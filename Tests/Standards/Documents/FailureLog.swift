import Standards
import Synchronization

/// The failures that a document reported.
final class FailureLog: Sendable {
    private struct State {
        var all: [DocumentError] = []
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

        mutating func ready() -> [CheckedContinuation<Void, Never>] {
            let count = all.count
            defer { waiting.removeAll { $0.count <= count } }
            return waiting.filter { $0.count <= count }.map(\.continuation)
        }
    }

    private let state = Mutex(State())

    var all: [DocumentError] { state.withLock(\.all) }

    func append(_ error: DocumentError) {
        change { $0.all.append(error) }
    }

    /// Returns when there are at least `count` failures.
    func reach(_ count: Int) async {
        await withCheckedContinuation { continuation in
            change { $0.waiting.append((count, continuation)) }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let ready = state.withLock { state in
            body(&state)
            return state.ready()
        }
        for continuation in ready { continuation.resume() }
    }
}
