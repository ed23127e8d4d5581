internal import JOSE
internal import Jansson
internal import Logging
internal import Server
internal import Settings

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
