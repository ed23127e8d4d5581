extension Settings {
    /// The section `logging`: what is written to standard output.
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

extension Settings {
    /// The section `tracing`: which peers are told the trace of a request (W3C Trace Context).
    package struct Tracing: Sendable, Equatable {
        package enum Peer: String, Sendable, CaseIterable {
            case providers, google, hooks
        }

        package let propagateTo: [Peer]
    }
}

extension Settings.Tracing {
    static let keys = ["propagate_to"]

    static func read(_ section: Section) -> Self {
        Self(propagateTo: section["propagate_to"]?.list { $0.choice(Peer.self) } ?? [])
    }
}

extension Settings {
    /// The section `audit`: the destinations of the audit trail.
    package struct Audit: Sendable, Equatable {
        /// Whether lines go to standard output, together with the log.
        package let output: Bool
        /// Whether lines go to the store.
        package let store: Bool
        /// How long lines are kept in the store; whole seconds, from an hour to ten years.
        package let retention: Duration
    }
}

extension Settings.Audit {
    static let keys = ["output", "store", "retention"]

    static func read(_ section: Section) -> Self {
        let audit = Self(
            output: section["output"]?.bool() ?? true,
            store: section["store"]?.bool() ?? false,
            retention: section["retention"]?.duration(in: Settings.Accounts.retentions, inWholeSeconds: true)
                ?? .seconds(90 * 86_400))
        if !audit.output, !audit.store {
            section.warn("output", "is off, and store is off too: no audit trail is written. Switch one of them on")
        }
        return audit
    }
}
