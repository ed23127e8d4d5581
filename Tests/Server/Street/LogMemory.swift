import Logging
import Synchronization

/// Every line that was logged, at every level.
final class LogMemory: Sendable {
    private let kept = Mutex<[String]>([])

    var lines: [String] { kept.withLock { $0 } }
    var text: String { lines.joined(separator: "\n") }

    var logger: Logger {
        Logger(label: "street") { _ in Handler(memory: self) }
    }

    private struct Handler: LogHandler {
        let memory: LogMemory
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            memory.kept.withLock { $0.append("\(event.level) \(event.message) \(all)") }
        }
    }
}
