import Synchronization

/// Shut until it is opened, for good.
final class Gate: Sendable {
    private let state = Atomic<Bool>(false)

    var isOpen: Bool { state.load(ordering: .acquiring) }

    func open() {
        state.store(true, ordering: .releasing)
    }
}
