import Dispatch

/// Holds the threads of a test server until a test lets them go.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }

    func pass() {
        semaphore.wait()
        // For the next in line.
        semaphore.signal()
    }
}
