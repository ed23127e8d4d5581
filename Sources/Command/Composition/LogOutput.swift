internal import Dispatch
internal import Foundation
internal import JOSE
internal import Jansson
internal import Logging
internal import Minting
internal import Server
internal import Settings
internal import Synchronization
internal import Transport

/// Writes the log to standard output: one line per event, as JSON, as text, or as Google Cloud reads it.
struct LogOutput: LogHandler {
    private let format: Settings.Logging.Format
    private let google: GoogleLog
    private let sink: LogSink
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    /// Makes the logger of a configuration.
    ///
    /// - Parameter google: What a line has for Google Cloud, with `format: google`; `nil` for that of this process.
    static func logger(_ settings: Settings, google: GoogleLog? = nil, to sink: LogSink = .standardOutput) -> Logger {
        Logger(label: "token-exchange") { _ in LogOutput(settings, google ?? GoogleLog(settings), sink) }
    }

    private init(_ settings: Settings, _ google: GoogleLog, _ sink: LogSink) {
        format = settings.logging.format
        self.google = google
        self.sink = sink
        logLevel = Logger.Level(rawValue: settings.logging.level.rawValue) ?? .info
        metadataProvider = .ofRequest
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        // Hummingbird sets an id of its own for each request, which `request_id` replaces.
        set { if key != "hb.request.id" { metadata[key] = newValue } }
    }

    func log(event: LogEvent) {
        var members = (metadataProvider?.get() ?? [:]).merging(metadata) { $1 }
            .merging(event.metadata ?? [:]) { $1 }.mapValues(\.description)
        let time = "\(Timestamp(milliseconds: TimeSource.system.milliseconds()))"
        let line: String
        switch format {
        case .json:
            members["level"] = event.level.rawValue
            members["message"] = event.message.description
            members["time"] = time
            line = String(decoding: JSON.object(members.mapValues(JSON.string)).serialized(), as: UTF8.self)
        case .google:
            line = google.line(of: members, event.level, event.message.description, at: time)
        case .text:
            let facts = members.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            // Without this filter, a value with a line break could forge another event.
            line = ([time, event.level.rawValue, event.message.description] + facts)
                .joined(separator: " ").filter { !$0.isNewline }
        }
        sink.write(line)
    }
}

extension Logger.MetadataProvider {
    /// The request and the trace to which a line belongs; none for a line outside a request.
    static let ofRequest = Logger.MetadataProvider {
        var metadata: Logger.Metadata = [:]
        metadata["request_id"] = RequestOrigin.current.map { "\($0.requestID)" }
        if let trace = TraceContext.current {
            metadata["trace_id"] = "\(trace.traceID)"
            metadata["span_id"] = "\(trace.spanID)"
        }
        return metadata
    }
}

/// The queue for log lines and audit lines, so that no sign-in waits for a full disk or for a reader that has stopped.
///
/// Log lines and audit lines have separate queues. In a shared one, the log lines of a flood of requests would displace
/// audit lines.
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
        var dropped = 0
    }

    /// A small number, so that an audit line does not wait long behind log lines.
    private static let batch = 64
    private let output: FileHandle
    private let queue = DispatchQueue(label: "log")
    private let state = Mutex(State())

    init(_ output: FileHandle) {
        self.output = output
    }

    /// Adds a line to its queue.
    ///
    /// If the queue is full, the line is dropped, and a later line reports the number of dropped lines.
    func write(_ text: String, as line: Line = .log) {
        let mustStart = state.withLock { state in
            switch line {
            case .log: state.log.put(text)
            case .audit(let isRefusal): state.audit.put(text, isLowPriority: isRefusal)
            }
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if mustStart { queue.async { self.drain() } }
    }

    /// The number of lines that were dropped and reported since the start of the process.
    var droppedLines: Int { state.withLock(\.dropped) }

    /// Waits until everything is written before the process ends, at most two seconds.
    func flush() {
        let isWritten = DispatchSemaphore(value: 0)
        queue.async { isWritten.signal() }
        _ = isWritten.wait(timeout: .now() + .seconds(2))
    }

    private func drain() {
        while let lines = next() {
            // If the disk is full or the pipe has no reader, the lines are lost and the server continues.
            try? output.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
        }
    }

    /// Returns audit lines before log lines: if the process ends while a reader is slow, only log lines are lost.
    private func next() -> [String]? {
        state.withLock { state in
            let audit = state.audit.take(atMost: Self.batch)
            let lines = audit.isEmpty ? state.log.take(atMost: Self.batch) : audit
            guard !lines.isEmpty else {
                state.isWriting = false
                return nil
            }
            let (lostAudit, lostLog) = (state.audit.takeLost(), state.log.takeLost())
            state.dropped += lostAudit + lostLog
            return lines + Self.notice("dropped_audit_lines", lostAudit) + Self.notice("dropped_log_lines", lostLog)
        }
    }

    private static func notice(_ name: String, _ count: Int) -> [String] {
        count == 0 ? [] : ["{\"\(name)\":\(count)}"]
    }
}
