import Synchronization

/// The time that all stand-ins agree on: a given clock, and an offset that the control listener sets.
final class SandboxClock: Sendable {
    private let source: @Sendable () -> Int64
    private let offset = Mutex<Int64>(0)

    init(_ source: @escaping @Sendable () -> Int64) {
        self.source = source
    }

    /// Seconds since 1970-01-01T00:00:00Z.
    var now: Int64 { source() &+ offset.withLock { $0 } }

    func setOffset(_ seconds: Int64) {
        offset.withLock { $0 = seconds }
    }
}
