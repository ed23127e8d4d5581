/// Whole seconds since 1970-01-01T00:00:00Z, without leap seconds (RFC 7519 §2).
package struct NumericDate: Sendable, Hashable, Comparable {
    package let seconds: Int64

    package init(_ seconds: Int64) {
        self.seconds = seconds
    }

    package static func < (earlier: Self, later: Self) -> Bool { earlier.seconds < later.seconds }

    /// Returns the sum in whole seconds; a fraction of a second is dropped.
    ///
    /// If the sum overflows, the result is the earliest or the latest date.
    package static func + (date: Self, duration: Duration) -> Self {
        let (sum, overflows) = date.seconds.addingReportingOverflow(duration.components.seconds)
        guard overflows else { return Self(sum) }
        return Self(duration < .zero ? .min : .max)
    }

    package static func - (date: Self, duration: Duration) -> Self { date + (.zero - duration) }
}

/// A clock, as a value.
///
/// Only the command line reads the clock of the system.
package struct TimeSource: Sendable {
    package let now: @Sendable () -> NumericDate
    /// Milliseconds since 1970-01-01T00:00:00Z, for logs.
    ///
    /// Decisions use ``now``.
    package let milliseconds: @Sendable () -> Int64

    /// Makes a clock with a resolution of one second.
    package init(now: @escaping @Sendable () -> NumericDate) {
        self.now = now
        milliseconds = { now().seconds * 1000 }
    }

    /// Returns a clock with a resolution of one millisecond.
    package static func precise(_ milliseconds: @escaping @Sendable () -> Int64) -> TimeSource {
        TimeSource(milliseconds: milliseconds)
    }

    private init(milliseconds: @escaping @Sendable () -> Int64) {
        self.milliseconds = milliseconds
        now = {
            let (seconds, rest) = milliseconds().quotientAndRemainder(dividingBy: 1000)
            return NumericDate(rest < 0 ? seconds - 1 : seconds)
        }
    }
}
