internal import Synchronization

/// Counts the sessions of the one connection that renews the record of what was watched.
///
/// A session that has been in use since the last renewal proves that the server was there all the time, however long
/// the renewal was waited for.
final class WatcherSessions: Sendable {
    private let state = Mutex<(opened: Int, renewed: Int)>((0, 0))

    /// Whether the last renewal was in the session that is open now.
    var isSame: Bool { state.withLock { $0.opened == $0.renewed } }

    func noteOpening() {
        state.withLock { $0.opened += 1 }
    }

    func noteRenewal() {
        state.withLock { $0.renewed = $0.opened }
    }
}
