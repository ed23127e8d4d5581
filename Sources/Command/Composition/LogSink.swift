internal import Dispatch
internal import Foundation
internal import Synchronization

/// Where log lines and audit lines go: through a queue, so that neither a full disk nor a reader that has stopped holds
/// up a sign-in.
///
/// Each kind has room of its own. If both shared one, a flood of requests, each with its log line, would displace the
/// record of what was done meanwhile.
final class LogSink: Sendable {
    static let standardOutput = LogSink(.standardOutput)

    enum Line {
        case log
        case audit(isRefusal: Bool)
    }

    private struct State {
        var log = BoundedQueue<String>(capacity: 10_000)
        var audit = BoundedQueue<String>(capacity: AuditQueue.capacity)
        var isWriting = false
    }

    /// Few enough that an audit line does not wait long behind log lines.
    private static let batch = 64
    private let output: FileHandle
    private let queue = DispatchQueue(label: "log")
    private let state = Mutex(State())

    init(_ output: FileHandle) {
        self.output = output
    }

    /// Keeps a line until it is written.
    ///
    /// If there is no room the newest line is dropped, and a line that follows tells how many were.
    func write(_ text: String, as line: Line = .log) {
        let mustStart = state.withLock { state in
            switch line {
            case .log: state.log.put(text)
            case .audit(let isRefusal): state.audit.put(text, ofLittleValue: isRefusal)
            }
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if mustStart { queue.async { self.drain() } }
    }

    /// Waits until everything is written, before the process ends; for a reader that has stopped, two seconds.
    func flush() {
        let isWritten = DispatchSemaphore(value: 0)
        queue.async { isWritten.signal() }
        _ = isWritten.wait(timeout: .now() + .seconds(2))
    }

    private func drain() {
        while let lines = next() {
            // A disk without space, or a pipe without a reader: the lines are lost, the server is not.
            try? output.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
        }
    }

    /// Audit lines before log lines: if the process ends while a slow reader is behind, the log is what is lost.
    private func next() -> [String]? {
        state.withLock { state in
            let audit = state.audit.take(atMost: Self.batch)
            let lines = audit.isEmpty ? state.log.take(atMost: Self.batch) : audit
            guard !lines.isEmpty else {
                state.isWriting = false
                return nil
            }
            return lines + Self.notice("dropped_audit_lines", state.audit.takeLost())
                + Self.notice("dropped_log_lines", state.log.takeLost())
        }
    }

    private static func notice(_ name: String, _ count: Int) -> [String] {
        count == 0 ? [] : ["{\"\(name)\":\(count)}"]
    }
}
