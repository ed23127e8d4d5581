extension Settings {
    /// The section `logging`: what is written to standard output.
    package struct Logging: SettingsSection {
        package var level = Level.info
        package var format = Format.json

        static let keys: [Key<Self>] = [.key("level", \.level, .choice), .key("format", \.format, .choice)]

        package enum Level: String, Sendable, CaseIterable {
            case trace, debug, info, notice, warning, error, critical
        }

        package enum Format: String, Sendable, CaseIterable {
            case json, text, google
        }
    }

    /// The section `tracing`: which peers are told the trace of a request (W3C Trace Context).
    package struct Tracing: SettingsSection {
        package var propagateTo: [Peer] = []

        static let keys: [Key<Self>] = [.key("propagate_to", \.propagateTo, .words(.choice))]

        package enum Peer: String, Sendable, CaseIterable {
            case providers, google, hooks
        }
    }

    /// The section `audit`: the destinations of the audit trail.
    package struct Audit: SettingsSection {
        /// Whether lines go to standard output, together with the log.
        package var output = true
        /// Whether lines go to the store.
        package var store = false
        /// How long lines are kept in the store; whole seconds, from an hour to ten years.
        package var retention = Duration.seconds(90 * 86_400)

        static let keys: [Key<Self>] = [
            .key("output", \.output, .flag),
            .key("store", \.store, .flag),
            .key("retention", \.retention, .duration(in: Accounts.retentions, inWholeSeconds: true)),
        ]

        func check(_ section: Section) {
            guard !output, !store else { return }
            section.warn("output", "is off, and store is off too: no audit trail is written. Switch one of them on")
        }
    }
}
