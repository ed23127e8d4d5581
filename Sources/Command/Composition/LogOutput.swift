internal import Dispatch
internal import Foundation
internal import JOSE
internal import Jansson
internal import Logging
internal import Server
internal import Settings
internal import Synchronization

/// The log on standard output: one line an event, as JSON or as text.
struct LogOutput: LogHandler {
    private let format: Settings.Logging.Format
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    static func logger(_ settings: Settings.Logging) -> Logger {
        Logger(label: "token-exchange") { _ in
            LogOutput(
                format: settings.format, logLevel: Logger.Level(rawValue: settings.level.rawValue) ?? .info)
        }
    }

    private init(format: Settings.Logging.Format, logLevel: Logger.Level) {
        self.format = format
        self.logLevel = logLevel
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var members = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues(\.description)
        members.removeValue(forKey: "hb.request.id")
        let time = "\(Timestamp(milliseconds: TimeSource.system.milliseconds()))"
        let line: String
        switch format {
        case .json:
            members["level"] = event.level.rawValue
            members["message"] = event.message.description
            members["time"] = time
            line = String(decoding: JSON.object(members.mapValues(JSON.string)).serialized(), as: UTF8.self)
        case .text:
            let facts = members.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            // A value with a line break would look like another event.
            line = ([time, event.level.rawValue, event.message.description] + facts)
                .joined(separator: " ").filter { !$0.isNewline }
        }
        LogSink.standardOutput.write(line)
    }
}

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
