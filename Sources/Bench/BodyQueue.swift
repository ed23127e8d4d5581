internal import Synchronization

/// Request bodies that are still to be sent, each once.
final class BodyQueue: Sendable {
    private let bodies: Mutex<ArraySlice<[UInt8]>>

    init(_ bodies: ArraySlice<[UInt8]>) {
        self.bodies = Mutex(bodies)
    }

    func next() -> [UInt8]? {
        bodies.withLock { $0.popFirst() }
    }
}
