internal import Dispatch
internal import Foundation
internal import Synchronization

/// Where log lines go: through a queue of its own, so that neither a full disk nor a reader that has stopped holds up a
/// sign-in.
final class LogSink: Sendable {
    static let standardOutput = LogSink()

    private static let capacity = 10_000
    private let queue = DispatchQueue(label: "log")
    private let waiting = Atomic<Int>(0)
    private let dropped = Atomic<Int>(0)

    private init() {}

    /// Beyond ten thousand waiting lines the newest are dropped, and counted in the next one that is written.
    func write(_ line: String) {
        guard waiting.wrappingAdd(1, ordering: .relaxed).newValue <= Self.capacity else {
            waiting.wrappingSubtract(1, ordering: .relaxed)
            dropped.wrappingAdd(1, ordering: .relaxed)
            return
        }
        queue.async { [self] in
            let missing = dropped.exchange(0, ordering: .relaxed)
            let text = missing == 0 ? line : line + "\n{\"dropped_log_lines\":\(missing)}"
            // A disk without space, or a pipe without a reader: the line is lost, the server is not.
            try? FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
            waiting.wrappingSubtract(1, ordering: .relaxed)
        }
    }

    /// Waits until everything is written, before the process ends; for a reader that has stopped, two seconds.
    func flush() {
        let isWritten = DispatchSemaphore(value: 0)
        queue.async { isWritten.signal() }
        _ = isWritten.wait(timeout: .now() + .seconds(2))
    }
}
