/// The text form of durations: `500ms`, `10s`, `5m`, `1h`, `30d`.
package enum DurationText {
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    static func parse(_ text: String) -> Duration? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard (1...9).contains(digits.count), let number = Int64(digits),
            let unit = units.first(where: { $0.name == text.dropFirst(digits.count) })
        else { return nil }
        return .milliseconds(number * unit.milliseconds)
    }

    /// Writes a duration in the largest unit without a remainder.
    package static func write(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        guard milliseconds != 0 else { return "0s" }
        let unit = units.last { milliseconds.isMultiple(of: $0.milliseconds) } ?? units[0]
        return "\(milliseconds / unit.milliseconds)\(unit.name)"
    }
}

extension Entry {
    /// Reads a duration between bounds.
    ///
    /// Durations that end up in tokens must be whole seconds, because dates in tokens have no fractions.
    func duration(in range: ClosedRange<Duration>, inWholeSeconds: Bool = false) -> Duration? {
        let bounds = "from \(DurationText.write(range.lowerBound)) to \(DurationText.write(range.upperBound))"
        guard let duration = writtenText.flatMap(DurationText.parse) else {
            return refusing(
                "write a number and its unit (ms, s, m, h or d), \(bounds)"
                    + (inWholeSeconds ? ", in whole seconds" : "") + orOff)
        }
        guard range.contains(duration) else { return refusing("must be \(bounds)\(orOff)") }
        guard !inWholeSeconds || duration.components.attoseconds == 0 else {
            return refusing("must be a whole number of seconds")
        }
        return duration
    }
}

/// A rate limit: `60/min`.
package struct Rate: Sendable, Equatable {
    package enum Unit: String, Sendable, CaseIterable {
        case second = "s"
        case minute = "min"
        case hour = "h"

        package var duration: Duration {
            switch self {
            case .second: .seconds(1)
            case .minute: .seconds(60)
            case .hour: .seconds(3600)
            }
        }
    }

    package let count: Int
    package let unit: Unit

    static func parse(_ text: String) -> Rate? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...7).contains(parts[0].utf8.count),
            parts[0].consists(of: .digits), let count = Int(parts[0]), count > 0,
            let unit = Unit(rawValue: String(parts[1]))
        else { return nil }
        return Rate(count: count, unit: unit)
    }
}

extension Rate: CustomStringConvertible {
    package var description: String { "\(count)/\(unit.rawValue)" }
}

extension Entry {
    /// Reads a rate, or reports `hint`.
    func rate(_ hint: String) -> Rate? {
        writtenText.flatMap(Rate.parse) ?? refusing(hint)
    }
}
