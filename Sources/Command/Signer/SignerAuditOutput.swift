internal import Dispatch
internal import Foundation
internal import Jansson
internal import Synchronization

/// The audit trail of the signer: one JSON line for each question, on standard output.
///
/// A writer waits until its line is written, so that no token leaves the process without one. Lines that arrive during a
/// write are written together. If the reader of standard output stops, the queue fills, and nothing is signed any more.
final class SignerAuditOutput: Sendable {
    private struct Line {
        let text: String
        let finish: @Sendable (Bool) -> Void
    }

    private static let capacity = 2000

    private struct State {
        var waiting: [Line] = []
        var isWriting = false
    }

    private let output: FileHandle
    private let queue = DispatchQueue(label: "audit")
    private let state = Mutex(State())
    /// Whether the last write failed, perhaps inside a line, which the next line must not continue.
    private let isTorn = Mutex(false)

    init(_ output: FileHandle) {
        self.output = output
    }

    /// Writes a line and returns whether it was written.
    func write(_ event: JSON) async -> Bool {
        let text = String(decoding: event.serialized(), as: UTF8.self)
        return await withCheckedContinuation { continuation in
            append(Line(text: text) { continuation.resume(returning: $0) })
        }
    }

    /// Writes a line of the process itself, for which no question waits.
    func note(_ event: String, _ facts: [String: String]) {
        let members = facts.mapValues(JSON.string).merging(["event": .string(event)]) { $1 }
        append(Line(text: String(decoding: JSON.object(members).serialized(), as: UTF8.self)) { _ in })
    }

    private func append(_ line: Line) {
        let (isRefused, mustStart) = state.withLock { state in
            guard state.waiting.count < Self.capacity else { return (true, false) }
            state.waiting.append(line)
            defer { state.isWriting = true }
            return (false, !state.isWriting)
        }
        if isRefused { line.finish(false) }
        if mustStart { queue.async { self.drain() } }
    }

    private func drain() {
        while true {
            let lines = state.withLock { state in
                let lines = state.waiting
                state.waiting = []
                state.isWriting = !lines.isEmpty
                return lines
            }
            guard !lines.isEmpty else { return }
            let text = lines.map { $0.text + "\n" }.joined()
            let isWritten = isTorn.withLock { isTorn in
                isTorn = (try? output.write(contentsOf: Data(((isTorn ? "\n" : "") + text).utf8))) == nil
                return !isTorn
            }
            for line in lines { line.finish(isWritten) }
        }
    }
}
