internal import Synchronization

/// Something that is reported once in the life of the process, so that a client cannot fill the log with it.
final class FirstTime: Sendable {
    private let hasHappened = Atomic(false)

    /// Returns true to the first caller only.
    func isFirst() -> Bool {
        !hasHappened.exchange(true, ordering: .relaxed)
    }
}
