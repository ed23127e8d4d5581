internal import Foundation
internal import Synchronization

/// A time as in log and audit lines: RFC 3339, in UTC, with milliseconds.
///
/// All texts have the same length, so that lines sort by time as text.
package struct Timestamp: Sendable, Equatable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Whole seconds, rounded down.
    package var seconds: Int64 { (milliseconds - fraction) / 1000 }

    private var fraction: Int64 { (milliseconds % 1000 + 1000) % 1000 }
}

extension Timestamp: CustomStringConvertible {
    package var description: String {
        let digits = String(fraction)
        return Self.text(ofSecond: seconds) + "." + String(repeating: "0", count: 3 - digits.count) + digits + "Z"
    }

    /// The text of the last formatted second, a cache: under load many lines share a second.
    private static let latest = Mutex<(second: Int64, text: String)?>(nil)

    // Formats whole seconds: the fraction of a `Double` could be rounded down to the millisecond before.
    private static func text(ofSecond second: Int64) -> String {
        latest.withLock { latest in
            if let latest, latest.second == second { return latest.text }
            let text = String(Date(timeIntervalSince1970: Double(second)).formatted(.iso8601).dropLast())
            latest = (second, text)
            return text
        }
    }
}
