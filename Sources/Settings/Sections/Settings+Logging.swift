extension Settings {
    /// `logging`: what is written to standard output.
    package struct Logging: Sendable, Equatable {
        package enum Level: String, Sendable, CaseIterable {
            case trace, debug, info, notice, warning, error, critical
        }

        package enum Format: String, Sendable, CaseIterable {
            case json, text
        }

        package let level: Level
        package let format: Format

        package init(level: Level, format: Format) {
            self.level = level
            self.format = format
        }
    }
}

extension Settings.Logging {
    static let keys = ["level", "format"]

    static func read(_ section: Section) -> Self {
        Self(
            level: section["level"]?.choice(Level.self) ?? .info,
            format: section["format"]?.choice(Format.self) ?? .json)
    }
}
